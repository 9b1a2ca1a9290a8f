package cgroup

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Members lists the processes in the group of a recorded place and below it, in order, by their numbers
// in the caller's PID namespace; hidden counts those that have none there. What forks or moves while it
// looks may be missing, so that nobody is found proves nothing: Look does. An error is never "nobody";
// ErrGone.
func Members(p Place) (pids []int64, hidden int, err error) {
	g, err := Open(p)
	if err != nil {
		return nil, 0, err
	}
	defer g.Close()
	if pids, hidden, err = g.members(); err != nil {
		return nil, 0, err
	}
	slices.Sort(pids)
	return slices.Compact(pids), hidden, nil
}

func (g *Group) members() (pids []int64, hidden int, err error) {
	if pids, hidden, err = g.procs(); err != nil {
		return nil, 0, err
	}
	names, err := subgroups(g.dir)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		more, others, err := g.membersOf(name)
		if err != nil {
			return nil, 0, err
		}
		pids, hidden = append(pids, more...), hidden+others
	}
	return pids, hidden, nil
}

// membersOf are those of the group name in g; a group that is gone has none. A threaded group has no
// list of processes: they are in that of the group above it which is not threaded, and was read.
func (g *Group) membersOf(name string) (pids []int64, hidden int, err error) {
	sub, err := open(g.dir, filepath.Join(g.place.Path, name))
	if errors.Is(err, ErrGone) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer sub.dir.Close()
	pids, hidden, err = sub.members()
	if errors.Is(err, unix.EOPNOTSUPP) {
		if kind, kerr := sub.read("cgroup.type"); kerr == nil && kind == "threaded\n" {
			return nil, 0, nil
		}
	}
	return pids, hidden, sub.unlessGone(err)
}

// procs reads cgroup.procs.
func (g *Group) procs() (pids []int64, hidden int, err error) {
	text, err := g.read("cgroup.procs")
	if err != nil {
		return nil, 0, err
	}
	for line := range strings.Lines(text) {
		switch pid, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64); {
		case err != nil || pid < 0:
			return nil, 0, fmt.Errorf("%s/cgroup.procs has a line %q", g.place.Path, line)
		case pid == 0: // of a PID namespace that is not below ours
			hidden++
		default:
			pids = append(pids, pid)
		}
	}
	return pids, hidden, nil
}

func (g *Group) read(name string) (string, error) {
	f, err := openIn(g.dir, name, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// KillPlace sends SIGKILL to every process in the group of a recorded place, as Group.Kill does: to
// that very group, or to nobody. A group that is gone is no error.
func KillPlace(p Place) error {
	g, err := Open(p)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(g.Kill(), g.Close())
}
