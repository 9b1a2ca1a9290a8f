package lease_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// stage is where a story happens: one machine with one home, and at most one owner that is looked at.
type stage struct {
	t     *testing.T
	dir   string
	boots int
	pid   int64 // the last that was given
	live  map[process.Identity]bool
	names map[string]string // of leases, in the order of their acquire
	marks map[int64]string  // by who carries them

	owner, host process.Identity
	store       *faulty
	registry    *lease.Registry // of the owner, or of whoever looks
	handle      *lease.Handle   // nil before the first acquire
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, dir: filepath.Join(fastDir(t), "home"), pid: 99, live: map[process.Identity]bool{}, names: map[string]string{}}
	s.begin()
	return s
}

// begin starts a process that opens the home: an owner to be.
func (s *stage) begin() {
	s.owner = s.fork()
	home, err := file.Create(s.dir, file.AllowAnyFilesystem())
	require.NoError(s.t, err)
	s.store = &faulty{Store: home.Store(), syncer: home.Store()}
	s.registry, err = lease.New(s.store, home, lease.WithInspector(eyes{s, s.owner}))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, home.Close()) })
}

// fork starts a process.
func (s *stage) fork() process.Identity {
	s.pid++
	id := process.Identity{PID: s.pid, BootID: s.boot(), StartID: digest(fmt.Sprint("start", s.pid))}
	s.live[id] = true
	return id
}

func (s *stage) boot() string { return digest(fmt.Sprint("boot", s.boots)) }

// eyes is what a process sees of the stage.
type eyes struct {
	s    *stage
	self process.Identity
}

func (e eyes) Self() (process.Process, error) { return process.Process{Identity: e.self}, nil }
func (e eyes) Lookup(int64) (process.Process, error) {
	return process.Process{}, process.ErrNotFound
}
func (e eyes) Boot() (string, error) { return e.s.boot(), nil }
func (e eyes) Look(string) (c process.Census) {
	for _, pid := range slices.Sorted(maps.Keys(e.s.marks)) {
		c.Carriers = append(c.Carriers, process.Carrier{Process: process.Process{Identity: identity(pid)}, Value: e.s.marks[pid]})
	}
	return c
}
func (eyes) Clock() uint64                                         { return 0 }
func (eyes) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (eyes) NamespaceEnded(uint64, uint64) bool                    { return false }
func (e eyes) Namespaces() (process.Namespaces, error) {
	return process.Namespaces{PID: 1, Time: 2}, nil
}
func (e eyes) Status(id process.Identity, _ uint64) (process.Status, string) {
	if e.s.live[id] {
		return process.Live, "alive"
	}
	return process.Dead, "no such process"
}

// commands are what can be typed in a story. Each returns what is to be told of it.
var commands = map[string]func(s *stage, argument string) string{
	"acquire":         (*stage).acquire,
	"hostStarting":    (*stage).hostStarting,
	"hostStarted":     (*stage).hostStarted,
	"cleanupComplete": func(s *stage, _ string) string { return s.event(fsm.CleanupComplete) },
	"cleanupUnsafe":   func(s *stage, cause string) string { return s.event(fsm.CleanupUnsafe, errors.New(cause)) },
	"release":         func(s *stage, _ string) string { return s.event(fsm.Release) },
	"resync":          func(s *stage, _ string) string { return s.standing(s.handle.Resync(s.t.Context())) },
	"enclose":         (*stage).enclose,
	"crash":           (*stage).crash,
	"reboot":          (*stage).reboot,
	"next-write":      (*stage).nextWrite,
	"late-write":      func(s *stage, _ string) string { s.store.arrive(); return s.standing(nil) },
	"somebody":        (*stage).somebody,
	"doctor":          (*stage).doctor,
}

// acquire is made by the present owner, or by a new process where that has a lease already.
func (s *stage) acquire(string) string {
	if s.handle != nil && (s.handle.State() != fsm.StateReleased || !s.live[s.owner]) {
		s.begin()
	}
	h, err := s.registry.Acquire(s.t.Context(), identityOf("acme"), "")
	if h == nil {
		return err.Error()
	}
	s.handle = h
	s.names[h.ID()] = fmt.Sprint("lease-", len(s.names)+1)
	return s.standing(err)
}

// hostStarting starts a host, if there is none yet, before it is put on record.
func (s *stage) hostStarting(string) string {
	if s.handle.State() == fsm.StateParentOwned {
		s.host = s.fork()
	}
	return s.event(fsm.HostStarting, lease.HostOf(s.host))
}

func (s *stage) hostStarted(which string) string {
	if which == "another" {
		return s.event(fsm.HostStarted, lease.HostOf(identity(1)))
	}
	return s.event(fsm.HostStarted, lease.HostOf(s.host))
}

func (s *stage) event(ev fsm.Event, args ...any) string {
	return s.standing(s.handle.Event(s.t.Context(), ev, args...))
}

// standing tells where the lease stands, in one word where memory and disk agree, and what was wrong.
func (s *stage) standing(err error) string {
	memory, disk := s.handle.State(), fsm.StateReleased
	if b, rerr := os.ReadFile(filepath.Join(s.dir, "leases", s.handle.ID()+".json")); rerr == nil {
		l, derr := leasefile.DecodeFile(b)
		require.NoError(s.t, derr)
		disk = fsm.State(l.(*leasefile.LeaseV2).Containment.Status)
	}
	line := string(memory)
	if memory != disk && (memory != fsm.StateAbsent || disk != fsm.StateReleased) {
		line = fmt.Sprintf("in memory %s, on disk %s", memory, disk)
	}
	if s.handle.Snapshot().Frozen {
		line += ", frozen"
	}
	if err != nil {
		return line + "\n" + err.Error()
	}
	return line
}

// enclose puts a boundary on record.
func (s *stage) enclose(kind string) string {
	return s.standing(s.handle.Enclose(s.t.Context(), leasefile.Boundary{Kind: leasefile.BoundaryKind(kind)}, 0))
}

// crash ends the owner or the host, as SIGKILL does.
func (s *stage) crash(who string) string {
	if who == "host" {
		s.live[s.host] = false
		return ""
	}
	s.live[s.owner] = false
	require.NoError(s.t, s.handle.LetGo())
	return ""
}

// reboot ends everything, and begins anew.
func (s *stage) reboot(string) string {
	s.live = map[process.Identity]bool{}
	_ = s.handle.LetGo() // a second time where the owner had crashed before
	s.boots++
	s.begin()
	return ""
}

func (s *stage) nextWrite(what string) string {
	require.Contains(s.t, faults, fault(what))
	s.store.next(fault(what))
	return ""
}

// somebody does what other processes can do to the lease.
func (s *stage) somebody(does string) string {
	id := s.handle.ID()
	switch does {
	case "removes the file":
		require.NoError(s.t, os.Remove(filepath.Join(s.dir, "leases", id+".json")))
	case "notes that the boundary is empty":
		snap := s.handle.Snapshot()
		note := leasefile.EmptyV1{LeaseID: id, Token: snap.Lease.Owner.Token, Gate: lease.HostOf(s.host)}
		require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "owners", id+".empty"), note.AppendCanonical(nil), 0o600))
	case "has the lease in its environment":
		s.marks = map[int64]string{500: "another", 501: "another:" + id, 502: id}
	case "had it, and has ended":
		s.marks = map[int64]string{500: "another"}
	case "executes another program in the owner":
		require.NoError(s.t, s.handle.LetGo())
	default:
		s.t.Fatalf("nobody %s", does)
	}
	return ""
}

// doctor is a process of its own, with a home opened anew.
func (s *stage) doctor(flags string) string {
	home, err := file.Open(s.dir, file.AllowAnyFilesystem())
	require.NoError(s.t, err)
	defer home.Close()
	r, err := lease.New(home.Store(), home, lease.WithInspector(eyes{s, identity(1)}))
	require.NoError(s.t, err)
	rows, err := r.Repair(context.Background(), lease.RepairOptions{Apply: flags == "--apply"})
	require.NoError(s.t, err)
	if len(rows) == 0 {
		return "no leases"
	}
	slices.SortFunc(rows, func(a, b lease.Repaired) int { return strings.Compare(s.names[a.ID], s.names[b.ID]) })
	var lines []string
	for _, row := range rows {
		require.NoError(s.t, row.Err)
		lines = append(lines, fmt.Sprintf("%s %s: %s (%s): %s", row.ID, row.State, row.Verdict.Outcome, row.Verdict.Rule, row.Verdict.Because))
		if row.Removed {
			lines = append(lines, "  removed")
		} else {
			lines = append(lines, "  kept; next: "+string(row.Next.Action))
		}
	}
	return strings.Join(lines, "\n")
}
