//go:build unix

package host_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// scoped is an invocation that a test owns, with a scope and what was told of it.
type scoped struct {
	*host.Scope
	h      *lease.Handle
	causes chan string
}

// caller is an inspector for systems that offer none.
type caller struct{ process.Inspector }

func (caller) Self() (process.Process, error) {
	sha := strings.Repeat("ab", 32)
	return process.Process{Identity: process.Identity{PID: 100, BootID: sha, StartID: sha}}, nil
}
func (caller) Look(string) process.Census                            { return process.Census{} }
func (caller) Clock() uint64                                         { return 0 }
func (caller) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (caller) NamespaceEnded(uint64, uint64) bool                    { return false }
func (caller) Namespaces() (process.Namespaces, error)               { return process.Namespaces{}, nil }
func (caller) Boot() (string, error)                                 { return strings.Repeat("ab", 32), nil }

func newScoped(t *testing.T) *scoped {
	t.Helper()
	s := &scoped{causes: make(chan string, 10)}
	reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"), lease.WithInspector(caller{}),
		lease.WithHome(file.AllowAnyFilesystem()), lease.WithObserver(func(o lease.Observation) {
			if o.Event == fsm.CleanupUnsafe {
				s.causes <- o.Detail
			}
		}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	sha := strings.Repeat("ab", 32)
	s.h, err = reg.Acquire(t.Context(), leasefile.OperationIdentity{
		AdapterID: "acme", BundleSHA256: sha, ContractVersion: 1, DescriptorSHA256: sha, ManifestSHA256: sha,
		Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme", Transport: leasefile.TransportProviderAPI,
	}, "")
	require.NoError(t, err)
	s.Scope = host.NewScope(s.h)
	return s
}

func TestScopeIsCompleteOnlyAfterAllHaveJoined(t *testing.T) {
	s := newScoped(t)
	var order []string
	may, begun := make(chan struct{}), make(chan struct{})
	require.NoError(t, s.Go(func(context.Context) error { close(begun); <-may; order = append(order, "go"); return nil }))
	for _, name := range []string{"first", "second"} {
		require.NoError(t, s.Defer(func(ctx context.Context) error {
			order = append(order, name)
			require.NoError(t, ctx.Err(), "a cancelled context skips no cleanup")
			require.Equal(t, fsm.StateParentOwned, s.h.State())
			require.ErrorIs(t, s.Go(nil), host.ErrScopeClosed)
			require.ErrorIs(t, s.Defer(nil), host.ErrScopeClosed)
			if name == "first" {
				close(may)
			}
			return nil
		}))
	}
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, s.Close(ctx))
	require.Equal(t, []string{"second", "first", "go"}, order)
	require.Equal(t, fsm.StateCleanupComplete, s.h.State())
	require.NoError(t, s.Close(ctx))
	require.ErrorIs(t, s.Go(nil), host.ErrScopeClosed)
	require.NoError(t, s.h.Release(t.Context()))
}

func TestScopeIsUnsafeAtTheFirstFailure(t *testing.T) {
	errStuck := errors.New("it does not die")
	for name, fail := range map[string]func(context.Context) error{
		"an error":                 func(context.Context) error { return errStuck },
		"a panic":                  func(context.Context) error { panic("it does not die") },
		"the end of its goroutine": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		for _, deferred := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := newScoped(t)
				var others int
				told := func(context.Context) error {
					select {
					case cause := <-s.causes: // at once: while this one is not done
						require.Contains(t, cause, "a cleanup failed")
						others++
						return nil
					case <-time.After(30 * time.Second):
						return errors.New("nothing was told")
					}
				}
				register := s.Go
				if deferred {
					register = s.Defer
				}
				if deferred {
					require.NoError(t, s.Defer(told)) // runs after the one that fails
				}
				require.NoError(t, register(fail))
				if !deferred {
					require.NoError(t, s.Defer(told))
				}
				err := s.Close(t.Context())
				require.ErrorIs(t, err, host.ErrUnsafe)
				require.Equal(t, name == "an error", errors.Is(err, errStuck))
				require.Equal(t, 1, others, "the others run all the same")
				require.Equal(t, fsm.StateCleanupUnsafe, s.h.State())
				require.Equal(t, err, s.Close(t.Context()))
				require.NoError(t, s.h.Close())
			})
		}
	}
}

// TestScopeTellsWhatItCouldNotRecord: somebody else had already said that all is well.
func TestScopeTellsWhatItCouldNotRecord(t *testing.T) {
	s := newScoped(t)
	require.NoError(t, s.h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, s.Defer(func(context.Context) error { return errors.New("too late") }))
	err := s.Close(t.Context())
	require.ErrorIs(t, err, host.ErrUnsafe)
	require.ErrorIs(t, err, lease.ErrRefused)
}
