//go:build unix

package lease_test

import (
	"context"
	"iter"
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// busybody is a desk on which something happens between two looks of whoever asks it for the boot.
type busybody struct {
	*desk
	meanwhile func() // once
}

func (b *busybody) Boot() (string, error) {
	if happens := b.meanwhile; happens != nil {
		b.meanwhile = nil
		happens()
	}
	return b.desk.Boot()
}

// A lease is released after a watch has read it, and before it looks at its lock, which is gone by then. No verdict of such a
// half look is told.
func TestWatchTellsNoVerdictOfAReleaseHalfSeen(t *testing.T) {
	d := newDesk(t)
	h, err := d.Acquire(t.Context(), operation(), "")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	b := &busybody{desk: d}
	next, stop := iter.Pull2(d.open(t, lease.ReadOnly(), lease.WithInspector(b)).Watch(ctx))
	defer stop()
	c, err, _ := next()
	require.NoError(t, err)
	require.Equal(t, lease.ChangePresent, c.Kind)
	b.meanwhile = func() { require.NoError(t, h.Release(ctx)) }
	require.NoError(t, h.Event(ctx, fsm.CleanupComplete))
	c, err, _ = next()
	require.NoError(t, err)
	require.Nil(t, b.meanwhile, "it was released while the watch looked")
	require.Equal(t, lease.ChangeVanished, c.Kind, "%s: %s", c.Now.Verdict.Rule, c.Now.Verdict.Because)
	require.Equal(t, "lock-held", c.Now.Verdict.Rule)
}
