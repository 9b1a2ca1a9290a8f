package etcd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var clusterFor = flag.Duration("cluster", 0, "how long TestCluster makes trouble")

// TestCluster runs writers on a cluster whose leader is killed or stopped again and again, and holds what they were told
// against the cluster's own history, from its first revision.
func TestCluster(t *testing.T) {
	if *clusterFor == 0 {
		t.Skip("takes minutes: make cluster")
	}
	c := newCluster(t, "a", "b", "c")
	client := raw(t, c.endpoints()[0], func(cfg *clientv3.Config) { cfg.Endpoints = c.endpoints() })
	ctx, stop := context.WithTimeout(t.Context(), *clusterFor)
	defer stop()
	var writers [8]*writer
	var all sync.WaitGroup
	for i := range writers {
		w := &writer{t: t, s: open(t, newMachine(), func(o *options) { o.endpoints = c.endpoints() })}
		writers[i] = w
		all.Go(func() { w.run(ctx) })
	}
	kills, stops := c.trouble(ctx, client)
	all.Wait()
	require.False(t, t.Failed())

	found := readHistory(t, client)
	var sum writer
	for _, w := range writers {
		sum.confirmed = append(sum.confirmed, w.confirmed...)
		sum.unsettled += w.unsettled
		sum.stall = max(sum.stall, w.stall)
	}
	lost := found.missing(sum.confirmed)
	fmt.Printf("leader killed %d times, stopped %d times; %d writes confirmed (%d had been unsettled at the deadline), lost %d, "+
		"duplicated %d, risen after removal %d, broken chains %d, longest stall %v; %d revisions in the history\n",
		kills, stops, len(sum.confirmed), sum.unsettled, lost, found.duplicated, found.risen, found.broken, sum.stall.Round(time.Millisecond), found.events)
	require.Equal(t, []int{0, 0, 0, 0}, []int{lost, found.duplicated, found.risen, found.broken})
	require.Positive(t, kills+stops)
	require.Greater(t, len(sum.confirmed), 1000)
}

// writer leads one lease after the other through a life.
type writer struct {
	t         *testing.T
	s         *Store
	confirmed []link
	unsettled int
	stall     time.Duration // the longest time between two confirmations
}

func (w *writer) run(ctx context.Context) {
	last := time.Now()
	confirm := func(l link) {
		w.confirmed = append(w.confirmed, l)
		w.stall, last = max(w.stall, time.Since(last)), time.Now()
	}
	for ctx.Err() == nil {
		key, before := uuid.NewString(), ""
		for n := range 3 + rand.N(20) {
			next := successor(key, before, n)
			op := persist.Replace
			if n == 0 {
				op = persist.Create
			}
			if !w.write(attempt(op, key, []byte(before), []byte(next))) {
				return
			}
			confirm(link{key, next})
			before = next
		}
		if !w.write(attempt(persist.Remove, key, []byte(before), nil)) {
			return
		}
		confirm(link{key: key})
	}
}

// write makes one write definite. Nobody else writes here: refused is wrong.
func (w *writer) write(a persist.Attempt) bool {
	ctx := context.Background()
	err := a.Do(ctx, w.s, nil)
	for range 6 {
		if !errors.Is(err, persist.ErrUnsettled) {
			break
		}
		w.unsettled++
		err = a.Settle(ctx, w.s, nil)
	}
	if err != nil {
		w.t.Errorf("a write of one's own lease: %v", err)
	}
	return err == nil
}

// trouble kills or stops the leader in turn, until ctx ends; then all members run.
func (c *cluster) trouble(ctx context.Context, client *clientv3.Client) (kills, stops int) {
	pause := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	for pause(3 * time.Second) {
		p := c.leader(ctx, client)
		if p == nil {
			continue
		}
		if kills > stops {
			stops++
			require.NoError(c.t, p.cmd.Process.Signal(syscall.SIGSTOP))
			pause(3 * time.Second)
			require.NoError(c.t, p.cmd.Process.Signal(syscall.SIGCONT))
		} else {
			kills++
			c.kill(p)
			pause(2 * time.Second)
			c.start(p)
		}
	}
	return kills, stops
}

// leader asks the members who leads; nil unless all three answer.
func (c *cluster) leader(ctx context.Context, client *clientv3.Client) (leader *running) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, p := range c.members {
		s, err := client.Status(ctx, "http://"+p.spec.Client)
		if err != nil {
			return nil
		}
		if s.Leader == s.Header.MemberId {
			leader = p
		}
	}
	return leader
}
