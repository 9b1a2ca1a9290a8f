package etcd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// program is the containlease program of this checkout, on one cluster.
type program struct {
	t      *testing.T
	binary string
	store  string
}

func build(t *testing.T, endpoint string) program {
	t.Helper()
	binary, err := built()
	require.NoError(t, err)
	return program{t, binary, "etcd:" + endpoint}
}

var built = sync.OnceValues(func() (binary string, err error) {
	binary = filepath.Join(scratch, "containlease")
	cmd := exec.Command("go", "build", "-o", binary, "./containlease")
	cmd.Dir = "../../tools"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

// exits runs the program in home and wants the code.
func (p program) exits(code int, home string, args ...string) (stdout string) {
	p.t.Helper()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute) // a command that does not end is a failure, not a wait
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"--home", home, "--store", p.store}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	require.Equal(p.t, code, cmd.ProcessState.ExitCode(), "%v\n%s%s", args, &out, &errs)
	return out.String()
}

type fleetView struct {
	Machines []struct{ MachineID, Digest string }
	Leases   []struct{ MachineID, LeaseID, Standing string }
}

func (p program) fleet(home string) (v fleetView) {
	p.t.Helper()
	require.NoError(p.t, json.Unmarshal([]byte(p.exits(0, home, "list", "--fleet", "--output", "json")), &v))
	return v
}

// TestProgram is the command line on two machines of one fleet: the doctor of A never touches B's leases.
func TestProgram(t *testing.T) {
	endpoint := server(t, func(*embed.Config) {})
	only := func(o *options) { o.endpoints = []string{endpoint} }
	p := build(t, endpoint)
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	p.exits(7, a, "run", "--", "sh", "-c", "exit 7")
	p.exits(0, b, "run", "--", "true")
	require.Len(t, p.fleet(a).Machines, 2)
	require.Empty(t, p.fleet(a).Leases, "all released")

	m, s := reader(t, b, only)
	old := sample(booted(m, "9"), leasefile.ContainmentStatusHostActive)
	put(t, s, persist.Create, old.LeaseID, nil, old.AppendCanonical(nil))
	require.Equal(t, "boot-over", p.fleet(a).Leases[0].Standing)
	p.exits(0, a, "doctor", "--apply")
	require.NotNil(t, content(t, s, old.LeaseID), "the doctor of another machine")
	p.exits(66, a, "show", old.LeaseID)
	require.Contains(t, p.exits(0, b, "show", old.LeaseID, "--output", "json"), "--store "+p.store+" doctor --apply", "the command to copy")
	p.exits(69, b, "doctor")
	p.exits(0, b, "doctor", "--apply")
	require.Nil(t, content(t, s, old.LeaseID))

	put(t, s, persist.Create, old.LeaseID, nil, old.AppendCanonical(nil))
	for _, row := range p.fleet(a).Machines {
		if row.MachineID == m.MachineID {
			p.exits(64, a, "retire-machine", m.MachineID, "--digest", row.Digest)
			p.exits(66, a, "retire-machine", m.MachineID, "--digest", hex64("0"), "--reason", "mistaken")
			p.exits(0, a, "retire-machine", m.MachineID, "--digest", row.Digest, "--reason", "its disk is shredded")
		}
	}
	require.Empty(t, p.fleet(a).Leases)
	require.Len(t, p.fleet(a).Machines, 1)
	audit, err := os.ReadFile(filepath.Join(a, "audit.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(audit), "shredded")
	p.store = "file:x"
	p.exits(64, a, "list")
}

// reader is a store with the name of the machine whose home is dir.
func reader(t *testing.T, dir string, only Option) (leasefile.MachineV1, *Store) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "machine.json"))
	require.NoError(t, err)
	home, err := leasefile.DecodeHomeV1File(b)
	require.NoError(t, err)
	h := newHome(t)
	defer h.Close()
	m, err := lease.MachineOf(h)
	require.NoError(t, err)
	m.MachineID = home.MachineID
	return m, open(t, m, only)
}
