package fsm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"containlease/fsm"

	"github.com/stretchr/testify/require"
)

type host struct{ pid int }

// recorder is a hook that notes every call and answers as told.
type recorder struct {
	calls  []fsm.Transition[host]
	landed bool
	err    error
	inside func(ctx context.Context)
}

func (r *recorder) hook(ctx context.Context, t fsm.Transition[host]) (bool, error) {
	r.calls = append(r.calls, t)
	if r.inside != nil {
		r.inside(ctx)
	}
	return r.landed, r.err
}

// machineIn returns a machine in state s, with a host on record where one can be.
func machineIn(s fsm.State, r *recorder) *fsm.Machine[host] {
	var h *host
	switch s {
	case fsm.StateHostStarting, fsm.StateHostActive, fsm.StateCleanupComplete, fsm.StateCleanupUnsafe:
		h = &host{pid: 7}
	}
	return fsm.New("lease-1", s, h, r.hook)
}

func TestEveryPairOfStateAndEvent(t *testing.T) {
	for _, s := range fsm.States {
		for _, ev := range fsm.Events {
			t.Run(fmt.Sprintf("%s/%s", s, ev), func(t *testing.T) {
				r := &recorder{landed: true}
				m := machineIn(s, r)
				err := m.Fire(t.Context(), ev, fsm.Input[host]{Host: &host{pid: 7}})
				row, arrow := fsm.Find(s, ev)
				class, refused := fsm.Refusal(s, ev)
				switch {
				case arrow:
					require.NoError(t, err)
					require.Len(t, r.calls, 1, "one write for an arrow")
					require.Equal(t, row, r.calls[0].Row)
					require.Equal(t, row.To, m.State())
				case refused:
					var te *fsm.TransitionError
					require.ErrorAs(t, err, &te)
					require.ErrorIs(t, err, fsm.ErrRefused)
					require.Equal(t, fsm.TransitionError{Lease: "lease-1", State: s, Event: ev, Class: class}, *te)
					require.Contains(t, fsm.Classes, class)
				default:
					require.NoError(t, err)
					require.True(t, fsm.IsNoOp(s, ev))
				}
				if !arrow {
					require.Empty(t, r.calls, "no write")
					require.Equal(t, s, m.State())
				}
				require.Equal(t, !refused, machineIn(s, r).Can(ev))
			})
		}
	}
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range append(append([]fsm.Row{}, fsm.Table...), fsm.NoOps...) {
		key := fmt.Sprint(r.From, r.Event)
		require.False(t, seen[key], "two rows for %s", key)
		seen[key] = true
		require.Contains(t, fsm.States, r.From)
		require.Contains(t, fsm.States, r.To)
		require.Contains(t, fsm.Events, r.Event)
		require.NotEmpty(t, r.Doc)
	}
	for _, r := range fsm.Table {
		require.Equal(t, r.From == fsm.StateAbsent, r.Write == fsm.WriteCreate)
		require.Equal(t, r.To == fsm.StateReleased, r.Write == fsm.WriteRemove)
		require.NotEqual(t, r.From, r.To, "looplab reports a self-arrow as an error")
	}
}

func TestHostRules(t *testing.T) {
	r := &recorder{landed: true}
	m := machineIn(fsm.StateParentOwned, r)
	require.ErrorIs(t, m.Fire(t.Context(), fsm.HostStarting, fsm.Input[host]{}), fsm.ErrRefused)
	require.Nil(t, m.Host())
	require.NoError(t, m.Fire(t.Context(), fsm.HostStarting, fsm.Input[host]{Host: &host{1}}))
	require.Equal(t, &host{1}, m.Host())

	for _, h := range []*host{nil, {2}} {
		err := m.Fire(t.Context(), fsm.HostStarted, fsm.Input[host]{Host: h})
		var te *fsm.TransitionError
		require.ErrorAs(t, err, &te)
		require.Equal(t, fsm.HostAdmissionChanged, te.Class)
	}
	require.Len(t, r.calls, 1)
	r.inside = nil
	require.NoError(t, m.Fire(t.Context(), fsm.HostStarted, fsm.Input[host]{Host: &host{1}}))
	require.NoError(t, m.Fire(t.Context(), fsm.CleanupUnsafe, fsm.Input[host]{Cause: errors.New("why")}))
	require.Equal(t, &host{1}, r.calls[2].Host)
	require.EqualError(t, r.calls[2].Cause, "why")
}

func TestMemoryMovesAfterTheDisk(t *testing.T) {
	cause := errors.New("disk")
	tests := []struct {
		name   string
		landed bool
		err    error
		want   fsm.State
	}{
		{"written", true, nil, fsm.StateHostStarting},
		{"not written", false, cause, fsm.StateParentOwned},
		{"written, not durable", true, cause, fsm.StateHostStarting},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{landed: tt.landed, err: tt.err}
			m := machineIn(fsm.StateParentOwned, r)
			r.inside = func(context.Context) { require.Equal(t, fsm.StateParentOwned, m.State()) }
			err := m.Fire(t.Context(), fsm.HostStarting, fsm.Input[host]{Host: &host{1}})
			require.Equal(t, tt.err, err, "the hook's own error, unwrapped")
			require.Equal(t, tt.want, m.State())
		})
	}
	t.Run("a hook without a word is an error", func(t *testing.T) {
		m := machineIn(fsm.StateParentOwned, &recorder{})
		require.Error(t, m.Fire(t.Context(), fsm.CleanupComplete, fsm.Input[host]{}))
		require.Equal(t, fsm.StateParentOwned, m.State())
	})
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{landed: true}
	r.inside = func(hookCtx context.Context) {
		cancel()
		require.ErrorIs(t, hookCtx.Err(), context.Canceled, "the hook is given the caller's context")
	}
	m := machineIn(fsm.StateParentOwned, r)
	require.NoError(t, m.Fire(ctx, fsm.HostStarting, fsm.Input[host]{Host: &host{1}}))
	require.Equal(t, fsm.StateHostStarting, m.State())
	require.ErrorIs(t, m.Fire(ctx, fsm.HostStarted, fsm.Input[host]{Host: &host{1}}), context.Canceled)
	require.Len(t, r.calls, 1)
	r.inside = nil
	require.NoError(t, m.Fire(t.Context(), fsm.HostStarted, fsm.Input[host]{Host: &host{1}}), "not wedged")
}

func TestEventInsideTheHookIsRefused(t *testing.T) {
	r := &recorder{landed: true}
	m := machineIn(fsm.StateParentOwned, r)
	r.inside = func(context.Context) {
		require.ErrorIs(t, m.Fire(context.Background(), fsm.CleanupUnsafe, fsm.Input[host]{}), fsm.ErrBusy)
		require.ErrorIs(t, m.Resume(fsm.Transition[host]{}), fsm.ErrBusy)
		require.True(t, m.Can(fsm.HostStarting))
	}
	require.NoError(t, m.Fire(t.Context(), fsm.HostStarting, fsm.Input[host]{Host: &host{1}}))
}

func TestPanicInTheHookLeavesAUsableMachine(t *testing.T) {
	r := &recorder{landed: true}
	r.inside = func(context.Context) { panic("hook") }
	m := machineIn(fsm.StateParentOwned, r)
	require.PanicsWithValue(t, "hook", func() { _ = m.Fire(t.Context(), fsm.CleanupUnsafe, fsm.Input[host]{}) })
	r.inside = nil
	require.Equal(t, fsm.StateParentOwned, m.State())
	require.NoError(t, m.Fire(t.Context(), fsm.CleanupUnsafe, fsm.Input[host]{}))
}

func TestResume(t *testing.T) {
	r := &recorder{err: errors.New("reply lost")}
	m := machineIn(fsm.StateParentOwned, r)
	require.Error(t, m.Fire(t.Context(), fsm.HostStarting, fsm.Input[host]{Host: &host{9}}))
	pending := r.calls[0]
	require.NoError(t, m.Resume(pending))
	require.Equal(t, fsm.StateHostStarting, m.State())
	require.Equal(t, &host{9}, m.Host())
	require.ErrorIs(t, m.Resume(pending), fsm.ErrRefused, "an arrow is taken once")
	require.Len(t, r.calls, 1)
}
