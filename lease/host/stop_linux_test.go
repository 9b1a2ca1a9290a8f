package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"containlease/lease"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// politely is how long Stop asks before it kills. Those of these tests are deaf.
const politely = 50 * time.Millisecond

// bounded is what a Stop of a test may take at most.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// requireStopped stops what is left, and fails unless all of it has ended. cleared says whether that can be proved.
func (c *crash) requireStopped(cleared bool) {
	c.t.Helper()
	i := c.find()
	require.Equal(c.t, verdict.ActStop, i.Next.Action, "%s: %v", i.Verdict.Rule, i.Words)
	require.Contains(c.t, i.Verdict.Missing[0], i.Life.String())
	_, err := c.reg.Retire(c.t.Context(), i.ID, i.Digest, "I did not look")
	require.ErrorIs(c.t, err, lease.ErrInUse)
	require.NoFileExists(c.t, filepath.Join(c.reg.Dir(), lease.AuditLog), "what is refused is not written down")
	c.life.requireWhole()

	done, err := c.reg.Stop(bounded(c.t), i.ID, politely)
	c.life.requireCut()
	require.NotEmpty(c.t, done.Asked.PIDs())
	require.Subset(c.t, i.Life.PIDs(), done.Asked.PIDs(), "a gate that goes on may have ended some meanwhile")
	require.Equal(c.t, cleared, done.Cleared, "%v: %v", err, done.Words)
	if !cleared {
		require.ErrorIs(c.t, err, lease.ErrUnproved)
		require.Equal(c.t, verdict.ActRetire, c.find().Next.Action)
		return
	}
	require.NoError(c.t, err)
	empty(c.t, c.reg)
	text, err := os.ReadFile(filepath.Join(c.reg.Dir(), lease.AuditLog))
	require.NoError(c.t, err)
	require.Equal(c.t, 2, strings.Count(string(text), "\n"))
	require.Regexp(c.t, `(?s)"action":"stop".*"action":"remove"`, string(text))
}

// proves tells in which boundaries the end of an invocation is proved although its gate was killed.
var proves = map[string]bool{"cgroup-v2": true, "pid-namespace": true}

func TestStopWhatAKilledOwnerAndGateLeft(t *testing.T) {
	for _, kind := range kinds {
		if kind == "pid-namespace" {
			continue // the kernel has killed the rest
		}
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			c.killBoth()
			c.requireStopped(proves[kind])
		})
	}
}

// A gate that was stopped goes on, sees the end of its owner, and proves the end.
func TestStopBehindAStoppedGate(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			require.NoError(t, c.gate.Signal(syscall.SIGSTOP))
			c.killOwner()
			c.requireStopped(kind != "process-group")
		})
	}
}

// Who has left the group is known by the mark, and the group's emptiness is the proof once that one has ended.
func TestStopWhoLeftTheGroup(t *testing.T) {
	needsRoot(t)
	c := startCrash(t, "cgroup-v2", strings.NewReplacer("AWAY", newGroup(t), "SLEEP", "sleep").Replace(leaver))
	c.killBoth()
	c.requireStopped(true)
}

// An owner that lives is never touched, nor is anything of its invocation.
func TestStopRefusesBesideALivingOwner(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			i := c.find()
			_, err := c.reg.Stop(bounded(t), i.ID, 0)
			require.ErrorIs(t, err, lease.ErrInUse)
			c.life.requireWhole()
			require.NoFileExists(t, filepath.Join(c.reg.Dir(), lease.AuditLog))
			c.killBoth()
			if kind != "pid-namespace" {
				c.requireStopped(proves[kind])
			}
		})
	}
}
