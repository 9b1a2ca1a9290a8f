// Package stage is what the examples have in common and what is no part of their point: a home that is thrown away, an identity for
// their plugin, and a look at the leases.
package stage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
)

// Stage is a home in a temporary directory. Its owner closes it.
type Stage struct {
	Registry *lease.Registry
	out      io.Writer
	dir      string
}

// New opens a new home, and will tell what is in it to out.
func New(ctx context.Context, out io.Writer) (*Stage, error) {
	dir, err := os.MkdirTemp("", "containlease-example-")
	if err != nil {
		return nil, err
	}
	reg, err := lease.Open(ctx, filepath.Join(dir, "home"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Stage{Registry: reg, out: out, dir: dir}, nil
}

// Tell has one invocation of a plugin, which is this program in a role, on a stage of its own.
func Tell(ctx context.Context, out io.Writer, role string,
	invoke func(context.Context, *Stage, *exec.Cmd, ...host.Option) error) (err error) {
	s, err := New(ctx, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return errors.Join(invoke(ctx, s, exec.Command(exe, role)), s.Show(ctx, "released"))
}

// Close removes the home.
func (s *Stage) Close() error { return errors.Join(s.Registry.Close(), os.RemoveAll(s.dir)) }

// Say prints a line of the story.
func (s *Stage) Say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// Show tells which leases there are now, as the doctor sees them.
func (s *Stage) Show(ctx context.Context, when string) error {
	none := true
	for i, err := range s.Registry.List(ctx) {
		if err != nil {
			return err
		}
		none = false
		s.Say("%-9s lease of %s: %s, %s", when, i.Plugin, i.State, i.Verdict.Outcome)
	}
	if none {
		s.Say("%-9s no lease", when)
	}
	return nil
}

// Identity is the identity of a plugin whose program is the file. A real host takes it from where it keeps its plugins' manifests.
func Identity(id, operation, program string) (leasefile.OperationIdentity, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return leasefile.OperationIdentity{}, err
	}
	digest := func(b []byte) string {
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	return leasefile.OperationIdentity{
		PluginID: id, PluginVersion: "1.0.0", SurfaceID: id, AdapterID: id, Transport: leasefile.TransportProviderAPI,
		Operation: operation, ContractVersion: 1,
		BundleSHA256: digest(text), ManifestSHA256: digest([]byte(id)), DescriptorSHA256: digest([]byte(operation)),
	}, nil
}
