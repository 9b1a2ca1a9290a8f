// Package scene sets the stage for the programs that measure and torment: plugins, homes full of leases, file systems of
// a chosen size. Nothing here is linked into containlease.
package scene

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"containlease/gen/leasefile"
)

// Identity is an operation of the plugin with that id.
func Identity(plugin string) leasefile.OperationIdentity {
	digest := strings.Repeat("0123456789abcdef", 4)
	return leasefile.OperationIdentity{
		PluginID: plugin, PluginVersion: "1.0.0", SurfaceID: plugin, AdapterID: plugin, Transport: leasefile.TransportProviderAPI,
		Operation: "command.run", ContractVersion: 1, BundleSHA256: digest, ManifestSHA256: digest, DescriptorSHA256: digest,
	}
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
