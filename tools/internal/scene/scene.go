// Package scene sets the stage for the programs that measure and torment: plugins, homes full of leases, file systems of
// a chosen size. Nothing here is linked into containlease.
package scene

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"

	"github.com/google/uuid"
)

// Identity is an operation of the plugin with that id.
func Identity(plugin string) leasefile.OperationIdentity {
	digest := strings.Repeat("0123456789abcdef", 4)
	return leasefile.OperationIdentity{
		PluginID: plugin, PluginVersion: "1.0.0", SurfaceID: plugin, AdapterID: plugin, Transport: leasefile.TransportProviderAPI,
		Operation: "command.run", ContractVersion: 1, BundleSHA256: digest, ManifestSHA256: digest, DescriptorSHA256: digest,
	}
}

// spareSize is the space that lies beside every lease.
const spareSize = 1645

// Fill puts n healthy host-active leases of other plugins into the home in dir, each with its spare, its lock and its
// evidence, as running invocations leave them. Their owner is this process, as far as its identity goes; nobody holds their locks.
func Fill(dir string, n int) error {
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	host := lease.HostOf(self.Identity)
	l := leasefile.LeaseV2{
		AcquiredAt:  time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusHostActive, Host: &host},
		Owner:       leasefile.Owner{PID: self.PID, BootID: self.BootID, ProcessStartID: self.StartID},
	}
	for i := range n {
		l.LeaseID, l.RunID, l.Owner.Token = uuid.NewString(), uuid.NewString(), uuid.NewString()
		l.Identity = Identity(fmt.Sprintf("stranger-%d", i%100))
		ev := leasefile.EvidenceV1{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "scene", Version: "1",
			Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}}
		for name, content := range map[string][]byte{
			"leases/" + l.LeaseID + ".json":   l.AppendCanonical(nil),
			"leases/." + l.LeaseID + ".spare": make([]byte, spareSize),
			"owners/" + l.LeaseID + ".lock":   nil,
			"owners/" + l.LeaseID + ".json":   ev.AppendCanonical(nil),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// Dir makes a directory that the caller removes: in memory where that is asked for and there is such a place.
func Dir(memory bool) (string, error) {
	base := ""
	if memory {
		if i, err := os.Stat("/dev/shm"); err == nil && i.IsDir() {
			base = "/dev/shm"
		}
	}
	return os.MkdirTemp(base, "containlease-"+strings.ToLower(rand.Text()[:6])+"-")
}

// Skip says aloud what is left out because the machine lacks something. In CI nothing may be: there it is an error.
func Skip(what string, why error) error {
	if os.Getenv("CI") != "" {
		return fmt.Errorf("%s: %w", what, why)
	}
	fmt.Printf("SKIPPED: %s: %v\n", what, why)
	return nil
}

// Leftovers are the files of leases/ and owners/, or why they cannot be told.
func Leftovers(home string) (names []string) {
	for _, dir := range []string{"leases", "owners"} {
		entries, err := os.ReadDir(filepath.Join(home, dir))
		if err != nil {
			return []string{err.Error()}
		}
		for _, e := range entries {
			names = append(names, dir+"/"+e.Name())
		}
	}
	return names
}
