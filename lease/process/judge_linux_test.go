package process

import (
	"errors"
	"io/fs"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestJudge(t *testing.T) {
	id := newIdentity(12, Digest("io-boot", "this"), "500")
	same, other := stat{state: 'S', start: "500"}, stat{state: 'S', start: "501"}
	hidden := &fs.PathError{Op: "open", Err: unix.ENOENT}
	denied := &fs.PathError{Op: "open", Err: unix.EACCES}
	gone := &fs.PathError{Op: "read", Err: unix.ESRCH}
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		inode  uint64
		seen   observation
		want   Status
		reason string
	}{
		{"ticks equal", 0, observation{stat: same}, Live, "start time equal"},
		{"ticks equal, inode not comparable", 7, observation{stat: same}, Live, "start time equal"},
		{"ticks equal, inode seen only", 0, observation{inode: 7, stat: same}, Live, "start time equal"},
		{"ticks differ", 0, observation{stat: other}, Dead, "started at another time"},
		{"inode equal", 7, observation{inode: 7, stat: same}, Live, "inode equal"},
		{"inode equal, ticks differ", 7, observation{inode: 7, stat: other}, Live, "inode equal"},
		{"inode equal, hidden", 7, observation{inode: 7, statErr: hidden}, Live, "inode equal"},
		{"inode differs, ticks equal: reuse within a tick", 7, observation{inode: 8, stat: same}, Dead, "another pidfs inode"},
		{"inode differs, hidden", 7, observation{inode: 8, statErr: hidden}, Dead, "another pidfs inode"},
		{"zombie", 0, observation{stat: stat{state: 'Z', start: "500"}, exited: true}, Dead, "zombie"},
		{"zombie with its inode", 7, observation{inode: 7, stat: stat{state: 'Z', start: "500"}, exited: true}, Dead, "zombie"},
		{"zombie of another", 0, observation{stat: stat{state: 'Z', start: "501"}, exited: true}, Dead, "zombie"},
		{"reaped while looked at", 7, observation{inode: 7, statErr: gone, exited: true}, Dead, "has ended"},
		{"leader thread only", 0, observation{stat: stat{state: 'Z', start: "500"}}, Live, "leader thread ended"},
		{"stopped", 0, observation{stat: stat{state: 'T', start: "500"}}, Live, "stopped"},
		{"traced", 7, observation{inode: 7, stat: stat{state: 't', start: "500"}}, Live, "stopped"},
		{"hidden", 0, observation{statErr: hidden}, Unknown, "hidden"},
		{"unreadable", 0, observation{statErr: denied}, Unknown, "permission denied"},
		{"torn", 0, observation{statErr: broken}, Unknown, "broken"},
		{"not to be watched", 7, observation{inode: 7, stat: same, exitErr: broken}, Unknown, "cannot be watched"},

		{"no such process", 7, observation{pinErr: ErrNotFound, killErr: unix.ESRCH, statErr: hidden}, Dead, "no such process"},
		{"no such process, no pidfds", 0, observation{pinErr: ErrUnsupported, killErr: unix.ESRCH, statErr: hidden}, Dead, "no such process"},
		{"gone while read", 0, observation{pinErr: ErrNotFound, killErr: unix.ESRCH, statErr: gone}, Dead, "no such process"},
		{"hidden, kill refused", 0, observation{pinErr: broken, killErr: unix.EPERM, statErr: hidden}, Unknown, "permission denied"},
		{"hidden, kill allowed", 0, observation{pinErr: broken, statErr: hidden}, Unknown, "hidden"},
		{"kill says gone, /proc unreadable", 0, observation{pinErr: broken, killErr: unix.ESRCH, statErr: denied}, Unknown, "permission denied"},
		{"kill says gone, /proc has it", 0, observation{pinErr: broken, killErr: unix.ESRCH, stat: same}, Unknown, "cannot be pinned"},
		{"not pinned, ticks equal", 7, observation{pinErr: ErrUnsupported, stat: same}, Unknown, "cannot be pinned"},
		{"not pinned, ticks differ", 0, observation{pinErr: ErrUnsupported, stat: other}, Dead, "started at another time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, why := judge(id, c.inode, c.seen)
			require.Equal(t, c.want, status, why)
			require.Contains(t, why, c.reason)
		})
	}
}

// TestJudgeNeedsProof walks every combination of what can be seen: nothing is
// Dead that has not ended, gone missing or shown to be another; nothing is Live
// that was not pinned and named.
func TestJudgeNeedsProof(t *testing.T) {
	id := newIdentity(12, Digest("io-boot", "this"), "500")
	failed := []error{nil, unix.ENOENT, unix.ESRCH, unix.EPERM, unix.EACCES, errors.New("torn")}
	counts := map[Status]int{}
	for _, inode := range []uint64{0, 7} {
		for seen := range observations(failed) {
			status, why := judge(id, inode, seen)
			counts[status]++
			pinned := seen.pinErr == nil
			equal := pinned && inode != 0 && seen.inode == inode
			differs := pinned && inode != 0 && seen.inode != 0 && seen.inode != inode
			read := seen.statErr == nil
			switch status {
			case Dead:
				require.True(t, seen.exited || seen.missing() || differs || read && seen.stat.start != "500", "%s: %+v", why, seen)
				require.False(t, equal && !seen.exited, "%s: %+v", why, seen)
			case Live:
				require.True(t, pinned && !seen.exited && seen.exitErr == nil, "%s: %+v", why, seen)
				require.True(t, equal || read && seen.stat.start == "500" && !differs, "%s: %+v", why, seen)
			}
		}
	}
	require.Greater(t, min(counts[Unknown], counts[Live], counts[Dead]), 50, "%v", counts)
}

func observations(failed []error) func(yield func(observation) bool) {
	return func(yield func(observation) bool) {
		for i := range 6 * 6 * 6 * 3 * 3 * 2 * 3 {
			pick := func(n int) int { k := i % n; i /= n; return k }
			seen := observation{pinErr: failed[pick(6)], statErr: failed[pick(6)], inode: []uint64{0, 7, 8}[pick(3)]}
			if seen.statErr == nil {
				seen.stat = stat{state: "SZT"[pick(3)], start: []string{"500", "501"}[pick(2)]}
			}
			if seen.pinErr != nil {
				seen.killErr, seen.inode = failed[pick(6)], 0
			} else {
				seen.exited = pick(2) == 1
				seen.exitErr = failed[pick(2)*5]
				seen.exited = seen.exited && seen.exitErr == nil
			}
			if !yield(seen) {
				return
			}
		}
	}
}
