package etcd

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"containlease/gen/leasefile"
	"containlease/persist"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// line is what watch prints, with --fleet or without.
type line struct {
	Kind  string
	Lease *struct{ LeaseID, Standing string }
}

// watching starts a watch. next is its next line; stop ends it by a signal, as a terminal does, and wants success.
func (p program) watching(home string, args ...string) (next func() line, stop func()) {
	t := p.t
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"--home", home, "--store", p.store, "watch", "--output", "json"}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(cancel)
	lines := json.NewDecoder(out)
	next = func() (l line) {
		require.NoError(t, lines.Decode(&l))
		return l
	}
	return next, func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		for lines.More() {
			next()
		}
		require.NoError(t, cmd.Wait())
	}
}

// Watching the fleet tells every write of every machine; watching without --fleet tells what becomes of this machine's leases.
func TestProgramWatches(t *testing.T) {
	endpoint := server(t, func(*embed.Config) {})
	only := func(o *options) { o.endpoints = []string{endpoint} }
	p := build(t, endpoint)
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	p.exits(0, a, "run", "--", "true")
	fleet, stopFleet := p.watching(a, "--fleet")
	require.Equal(t, []string{"relisted", "present"}, []string{fleet().Kind, fleet().Kind})
	p.exits(0, b, "run", "--", "true")
	require.Equal(t, line{Kind: "written"}, fleet(), "another machine registers")
	for kind := ""; kind != "gone"; {
		l := fleet()
		kind = l.Kind
		require.NotNil(t, l.Lease)
	}

	ma, sa := reader(t, a, only)
	mb, sb := reader(t, b, only)
	own, others := sample(ma, leasefile.ContainmentStatusCleanupUnsafe), sample(mb, leasefile.ContainmentStatusCleanupUnsafe)
	home, stopHome := p.watching(a)
	put(t, sb, persist.Create, others.LeaseID, nil, others.AppendCanonical(nil))
	put(t, sa, persist.Create, own.LeaseID, nil, own.AppendCanonical(nil))
	require.Equal(t, others.LeaseID, fleet().Lease.LeaseID)
	require.Equal(t, own.LeaseID, fleet().Lease.LeaseID)
	l := home()
	require.Contains(t, []string{"present", "appeared"}, l.Kind)
	require.Equal(t, own.LeaseID, l.Lease.LeaseID, "and not another machine's")
	put(t, sb, persist.Remove, others.LeaseID, others.AppendCanonical(nil), nil)
	put(t, sa, persist.Remove, own.LeaseID, own.AppendCanonical(nil), nil)
	require.Equal(t, []string{"gone", "gone"}, []string{fleet().Kind, fleet().Kind})
	l = home()
	require.Equal(t, []string{"vanished", own.LeaseID}, []string{l.Kind, l.Lease.LeaseID})
	stopFleet()
	stopHome()
}
