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
	inEachKind(b, func(h *lease.Handle, cmd *exec.Cmd, opts ...host.Option) error {
		_, err := host.Run(b.Context(), h, cmd, opts...)
		return err
	})
}

// BenchmarkPrepare is the same, started by somebody else.
func BenchmarkPrepare(b *testing.B) {
	inEachKind(b, func(h *lease.Handle, cmd *exec.Cmd, opts ...host.Option) error {
		p, err := host.Prepare(b.Context(), h, cmd, opts...)
		require.NoError(b, err)
		require.NoError(b, cmd.Run())
		_, err = p.Finish(b.Context())
		return err
	})
}

func inEachKind(b *testing.B, invoke func(*lease.Handle, *exec.Cmd, ...host.Option) error) {
	for _, kind := range host.Kinds {
		b.Run(kind, func(b *testing.B) {
			opts := []host.Option{host.WithBoundary(kind), host.AcceptUnproved()}
			if _, err := host.Choose(opts...); err != nil {
				b.Skip(err)
			}
			reg, err := lease.Open(b.Context(), filepath.Join(b.TempDir(), "home"))
			require.NoError(b, err)
			defer reg.Close()
			for b.Loop() {
				h, err := reg.Acquire(b.Context(), identity, "")
				require.NoError(b, err)
				require.NoError(b, invoke(h, exec.Command("true"), opts...))
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
