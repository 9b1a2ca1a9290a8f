package host_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

// BenchmarkRun is one whole invocation of `true`, from acquire to release, in each boundary.
func BenchmarkRun(b *testing.B) {
	for _, kind := range host.Kinds {
		b.Run(kind, func(b *testing.B) {
			if _, err := host.Choose(host.WithBoundary(kind), host.AcceptUnproved()); err != nil {
				b.Skip(err)
			}
			reg, err := lease.Open(b.Context(), filepath.Join(b.TempDir(), "home"))
			require.NoError(b, err)
			defer reg.Close()
			for b.Loop() {
				h, err := reg.Acquire(b.Context(), identity, "")
				require.NoError(b, err)
				_, err = host.Run(b.Context(), h, exec.Command("true"), host.WithBoundary(kind), host.AcceptUnproved())
				require.NoError(b, err)
				require.NoError(b, h.Release(b.Context()))
			}
		})
	}
}

// BenchmarkChoose is what auto costs, and a trial of each kind.
func BenchmarkChoose(b *testing.B) {
	for _, kind := range host.Kinds {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				if _, err := host.Choose(host.WithBoundary(kind), host.AcceptUnproved()); err != nil {
					b.Skip(err)
				}
			}
		})
	}
}
