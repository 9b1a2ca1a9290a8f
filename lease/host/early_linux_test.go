package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// dyingStore kills this process instead of beginning one of its writes.
type dyingStore struct {
	persist.Store
	left int // writes until then
}

func (s *dyingStore) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	if s.left--; s.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return s.Store.Stage(ctx, key, content)
}

// diesAtWrite is an owner that dies just before the write number HOST_TEST_WRITE: 2 is hostStarting, 3 hostStarted.
func diesAtWrite() error {
	ctx := context.Background()
	home, err := file.Create(os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Getenv("HOST_TEST_WRITE"))
	if err != nil {
		return err
	}
	reg, err := lease.New(&dyingStore{home.Store(), n}, home)
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	cmd := exec.Command("touch", filepath.Join(os.Getenv("HOST_TEST_HOME"), "ran"))
	_, err = run(ctx, h, cmd, host.WithBoundary(os.Getenv("HOST_TEST_BOUNDARY")), host.AcceptUnproved(),
		host.WithGate(os.Getenv("HOST_TEST_GATE")))
	return fmt.Errorf("it did not die: %w", err)
}

// Behind a front; the crash matrix has the others.
func TestAPreparingOwnerThatDiesBeforeTheGateOpens(t *testing.T) {
	for _, kind := range kinds {
		for write, want := range map[string]struct {
			state fsm.State
			rule  string
		}{
			"2": {fsm.StateParentOwned, "boundary-empty"},
			"3": {fsm.StateHostStarting, "gate-never-opened"},
		} {
			t.Run(kind+"/"+string(want.state), func(t *testing.T) {
				available(t, kind)
				diesBeforeTheGateOpens(t, kind, write, want.state, want.rule)
			})
		}
	}
}

func diesBeforeTheGateOpens(t *testing.T, kind, write string, state fsm.State, rule string) {
	home := filepath.Join(t.TempDir(), "home")
	life := newLifeline(t)
	cmd := as("dies-at-write", "HOST_TEST_HOME="+home, "HOST_TEST_WRITE="+write, "HOST_TEST_BOUNDARY="+kind, "HOST_TEST_PREPARE=1")
	// The plugin never runs, so the gate alone has it: its output.
	cmd.Stdout = life.gift
	require.Error(t, cmd.Run())
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()
	c := &crash{t: t, reg: reg}
	require.Equal(t, state, c.find().State)
	if kind == "process-group" && write == "2" {
		c.requireKept(verdict.Uncertain, "no-proof") // nothing ran, and nothing proves that
		life.requireCut()                            // its gate leaves its note before it ends
		return
	}
	require.Eventually(t, func() bool { return c.find().Verdict.Outcome == verdict.Gone }, patience, patience/1000, "%+v", c.find())
	require.Equal(t, rule, c.find().Verdict.Rule)
	c.repair()
	empty(t, reg)
	require.NoFileExists(t, filepath.Join(home, "ran"))
}
