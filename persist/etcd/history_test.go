package etcd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// link is one write: what is written names what it was written over.
type link struct{ key, content string } // no content: a removal

func successor(key, before string, n int) string {
	return fmt.Sprintf("%s %d after %s\n%0600d", key, n, persist.DigestOf([]byte(before)), rand.N(1<<30))
}

// history is what a cluster says has happened to the leases, from its first revision on.
type history struct {
	events                    int
	seen                      map[link]int
	now                       map[string]string
	removed                   map[string]bool
	duplicated, risen, broken int
}

func readHistory(t *testing.T, c *clientv3.Client) *history {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	end, err := c.Get(ctx, root)
	require.NoError(t, err)
	h := &history{seen: map[link]int{}, now: map[string]string{}, removed: map[string]bool{}}
	last := int64(0)
	for answer := range c.Watch(ctx, root, clientv3.WithPrefix(), clientv3.WithRev(1)) {
		require.NoError(t, answer.Err())
		for _, e := range answer.Events {
			h.take(e)
			last = e.Kv.ModRevision
		}
		if last >= end.Header.Revision {
			return h
		}
	}
	require.Fail(t, "the history ended early", "%d of %d", last, end.Header.Revision)
	return nil
}

// take adds one event. The same bytes written again right over themselves are a settled write made sure of.
func (h *history) take(e *clientv3.Event) {
	h.events++
	key := placeOf(string(e.Kv.Key)).lease
	if key == "" {
		return
	}
	l := link{key: key, content: string(e.Kv.Value)}
	before := h.now[key]
	if l.content == before && before != "" {
		return
	}
	h.seen[l]++
	if h.seen[l] > 1 {
		h.duplicated++
	}
	if h.removed[key] {
		h.risen++
	}
	if l.content == "" {
		h.removed[key] = true
		delete(h.now, key)
		return
	}
	if !strings.Contains(l.content, "after "+persist.DigestOf([]byte(before)).String()) {
		h.broken++
	}
	h.now[key] = l.content
}

// missing counts the confirmed writes that never happened.
func (h *history) missing(confirmed []link) (lost int) {
	for _, l := range confirmed {
		if h.seen[l] == 0 {
			lost++
		}
	}
	return lost
}

// The referee must be able to blow the whistle.
func TestHistorySees(t *testing.T) {
	key := sample(newMachine(), "").LeaseID
	one := successor(key, "", 0)
	two := successor(key, one, 1)
	put := func(h *history, content string) {
		h.take(&clientv3.Event{Kv: &mvccpb.KeyValue{Key: []byte(leasesPrefix(newMachine().MachineID) + key), Value: []byte(content)}})
	}
	for name, c := range map[string]struct {
		writes []string
		want   history
	}{
		"well":       {[]string{one, two, two, ""}, history{}},
		"duplicated": {[]string{one, two, one}, history{duplicated: 1, broken: 1}},
		"risen":      {[]string{one, "", one}, history{duplicated: 1, risen: 1}},
		"broken":     {[]string{two}, history{broken: 1}},
	} {
		h := &history{seen: map[link]int{}, now: map[string]string{}, removed: map[string]bool{}}
		for _, w := range c.writes {
			put(h, w)
		}
		require.Equal(t, []int{c.want.duplicated, c.want.risen, c.want.broken}, []int{h.duplicated, h.risen, h.broken}, name)
		require.Equal(t, 1, h.missing([]link{{key, "confirmed"}, {key, c.writes[0]}}))
	}
}
