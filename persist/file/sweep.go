package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"containlease/persist"
)

// Sweep removes what crashes left behind: files of owners/ and spares whose lease does not exist and whose liveness
// lock is free or missing. Never by age, and nothing with a name that is not ours. keys are the leases that exist, as
// their store names them: one that is missing among them loses the proof of what became of it. The caller holds the
// catalogue lock exclusively since before it asked. Sweep returns the paths that it removed, relative to the home; nothing
// is synced, for what comes back after a power loss is swept again.
//
// What the system does not let it remove stays, and the others go all the same: a *LeftoversError, which hurts nobody. Any
// other error means that it did not come to its end.
//
// One listing of owners/ is all it costs when there is nothing to do. In leases/ it goes by what the listing before it has seen,
// [Store.Keys], and the first sweep of a Home lists leases/ too.
func (h *Home) Sweep(ctx context.Context, keys []string) (removed []string, err error) {
	s := sweep{h: h, alive: make(map[string]bool, len(keys)), ended: map[string]bool{}}
	for _, key := range keys {
		s.alive[key] = true
	}
	helpers := h.store.takeHelpers()
	if !h.swept.Load() {
		helpers, err = h.leases.names()
	}
	if err == nil {
		err = s.folder(ctx, helpers, helperKey, s.helper)
	}
	var owners []string
	if err == nil {
		owners, err = h.owners.names()
	}
	if err == nil {
		err = s.folder(ctx, owners, ownerKey, s.owner)
	}
	switch {
	case err != nil:
		return s.removed, errors.Join(append(s.left, err)...)
	case len(s.left) > 0:
		err = &LeftoversError{s.left}
	}
	h.swept.Store(true)
	return s.removed, err
}

// LeftoversError is what a Sweep came upon and could not remove, one error for each. Nothing depends on these files.
type LeftoversError struct{ Errs []error }

func (e *LeftoversError) Error() string {
	return fmt.Sprintf("left behind by crashes, and not to be removed: %v", errors.Join(e.Errs...))
}

// Unwrap shows each of the errors.
func (e *LeftoversError) Unwrap() []error { return e.Errs }

// sweep is one Sweep at work.
type sweep struct {
	h       *Home
	alive   map[string]bool
	ended   map[string]bool // keys without a lease: whether the owner has ended
	removed []string
	left    []error
}

// names lists all that is there, in the file system's order.
func (d *dir) names() ([]string, error) {
	names, err := d.sys.Names(d.fd)
	if err != nil {
		return nil, d.failed("list", ".", err)
	}
	return names, nil
}

// folder has clear called for those names of leases that do not exist and whose owner has ended.
func (s *sweep) folder(ctx context.Context, names []string, keyOf func(string) (string, bool), clear func(name, key string) error) error {
	for _, name := range names {
		key, ours := keyOf(name)
		if ours && s.alive[key] && name == nextFile(key) {
			s.unlinkTwin(name, key)
		}
		if !ours || s.alive[key] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.hasEnded(key) {
			if err := clear(name, key); err != nil {
				s.left = append(s.left, err)
			}
		}
	}
	return nil
}

// unlinkTwin takes a record's second name away, which a crash leaves where names are given by link and unlink: a record with
// two links is not believed. Whoever gives a record its name holds the catalogue lock, and so is not at it now.
func (s *sweep) unlinkTwin(name, key string) {
	d := s.h.leases
	twin, err := d.sys.Lstat(d.fd, name)
	if err != nil || twin.Links != 2 {
		return
	}
	record, err := d.sys.Lstat(d.fd, recordFile(key))
	if err != nil || record.Inode != twin.Inode {
		return
	}
	if err := s.unlink(d, leasesDir, name); err != nil {
		s.left = append(s.left, err)
	}
}

// hasEnded asks once for each key. Not known counts as held.
func (s *sweep) hasEnded(key string) bool {
	ended, known := s.ended[key]
	if !known {
		holding, err := s.h.Probe(key)
		ended = err == nil && holding != Held
		s.ended[key] = ended
	}
	return ended
}

func (s *sweep) helper(name, _ string) error { return s.spare(name) }

// spare removes a spare, or a file on its way to be a record, unless somebody is at work on it: where there are no nameless
// files, an acquire stages before it has the catalogue lock and its lease a liveness lock. It is owned while it is removed,
// see [dir.stagedFile].
func (s *sweep) spare(name string) error {
	d := s.h.leases
	fd, i, err := d.openPrivate(name, writing)
	if errors.Is(err, persist.ErrNotExist) {
		return nil
	} else if err != nil {
		return d.failed("remove", name, err)
	}
	defer s.h.sys.Close(fd)
	if err := s.h.sys.Own(fd); errors.Is(err, errBusy) {
		return nil
	} else if err != nil {
		return d.failed("own", name, err)
	}
	if now, err := s.h.sys.Lstat(d.fd, name); err != nil || now.Inode != i.Inode {
		return nil // its maker dropped it just now
	}
	return s.unlink(d, leasesDir, name)
}

// owner removes the spare before the owner's file that leads to it: a sweep that is killed is taken up by the next one.
func (s *sweep) owner(name, key string) error {
	for _, helper := range []string{spareFile(key), nextFile(key)} {
		if err := s.spare(helper); err != nil {
			return err
		}
	}
	return s.unlink(s.h.owners, ownersDir, name)
}

func (s *sweep) unlink(d *dir, folder, name string) error {
	switch err := d.sys.Unlink(d.fd, name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return d.failed("remove", name, err)
	default:
		s.removed = append(s.removed, folder+"/"+name)
	}
	return nil
}
