package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// mostGroups bounds how many groups one search opens.
const mostGroups = 100_000

// Litter finds groups that programs of ours left when they were killed: with a name that is ours, of the
// caller's user, without a process, and held by nobody, as Group.Hold says. Whether the lease of such a
// group still exists is for the caller to ask; Clear removes it. What could not be looked at is in the
// error, beside what was found; ErrUnavailable: the hierarchy is not there.
//
// A group of another home may be among them, whose owner has ended: its lease loses nothing by the
// removal, for a group that is gone proves what an empty one does.
func Litter(ctx context.Context, s Scope) (found []Place, err error) {
	tops, err := tops(s)
	if err != nil {
		return nil, err
	}
	l := search{ctx: ctx, deep: s == Everywhere, seen: map[uint64]bool{}}
	for _, top := range tops {
		l.start(top)
	}
	if len(l.seen) > mostGroups {
		l.errs = append(l.errs, fmt.Errorf("only %d control groups were looked at", mostGroups))
	}
	return l.found, errors.Join(append(l.errs, ctx.Err())...)
}

// tops are the directories that a search starts in.
func tops(s Scope) (paths []string, err error) {
	if s == InOwn {
		own, err := Own()
		return []string{own}, err
	}
	all, err := mounted()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if isUnified(m.point) {
			paths = append(paths, m.point)
		}
	}
	if paths == nil {
		return nil, fmt.Errorf("%w: the unified hierarchy (cgroup v2) is not mounted", ErrUnavailable)
	}
	return paths, nil
}

// search is one Litter at work.
type search struct {
	ctx   context.Context
	deep  bool
	seen  map[uint64]bool // by inode: several mounts may show the same groups
	found []Place
	errs  []error
}

func (s *search) start(path string) {
	top, err := openParent(path)
	if err == nil {
		defer top.Close()
		var above []uint64
		if above, err = climb(top); err == nil {
			err = s.in(top, above)
		}
	}
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

// in looks at the groups in dir; above are the inodes down to dir, its own included.
func (s *search) in(dir *os.File, above []uint64) error {
	names, err := subgroups(dir)
	for _, name := range names {
		_, ours := made(name)
		if !ours && !s.deep {
			continue
		}
		if s.ctx.Err() != nil || len(s.seen) > mostGroups {
			return nil // which is told once, at the end
		}
		// What another user closed, or goes at this moment, is no litter of ours.
		if g, err := open(dir, filepath.Join(dir.Name(), name)); err == nil {
			s.visit(g, above, ours)
			g.dir.Close()
		}
	}
	return err
}

func (s *search) visit(g *Group, above []uint64, ours bool) {
	st, err := stat(g.dir)
	if err != nil || s.seen[g.place.Inode] {
		return
	}
	s.seen[g.place.Inode] = true
	down := append(slices.Clone(above), g.place.Inode)
	if ours {
		litter, err := g.isLitter()
		if err = g.unlessGone(err); err != nil {
			s.errs = append(s.errs, err)
		}
		if litter {
			g.place.ParentInode, g.place.Chain = above[len(above)-1], writeChain(down)
			s.found = append(s.found, g.place)
			return // what lies in it goes with it
		}
	}
	if s.deep && st.Nlink > 2 { // else there is no group in it
		_ = s.in(g.dir, down) // as above
	}
}

// isLitter reports whether nobody uses the group, and locks it, until g is closed, against whoever is
// about to.
func (g *Group) isLitter() (bool, error) {
	st, err := stat(g.dir)
	if err != nil || int(st.Uid) != os.Geteuid() {
		return false, err
	}
	err = lock(g.dir, unix.LOCK_EX)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	if err == nil {
		err = g.there()
	}
	if err != nil {
		return false, err
	}
	return g.Await(0)
}

// Clear removes a group that Litter found, if it is litter still, and reports whether it did. It is
// locked first and looked at then: who made it just now, and holds it, does not lose it.
func Clear(p Place) (removed bool, err error) {
	g, err := Open(p)
	if errors.Is(err, ErrGone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer g.Close()
	if _, ours := made(filepath.Base(p.Path)); !ours {
		return false, nil
	}
	if litter, err := g.isLitter(); !litter {
		return false, g.unlessGone(err)
	}
	err = g.Remove()
	if errors.Is(err, ErrOccupied) {
		return false, nil
	}
	return err == nil, err
}
