package file

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Create opens the home in dir and first makes, durably, what is missing of it, missing parents included. Several
// processes may do that at once. A directory that is there already becomes a home only if it is private. Errors are those of
// Open, with ErrNoHome for a directory that is neither a home nor private, ErrFilesystem, and those of making and syncing.
// What is refused leaves no directory behind. The caller closes the home.
func Create(dir string, opts ...Option) (*Home, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the state home %q: %w", dir, err)
	}
	b := builder{options: o}
	if err := b.prepare(path); err != nil {
		return nil, err
	}
	h, err := o.open(path)
	if err != nil {
		return nil, err
	}
	if err := b.checkGround(path, h.ground); err != nil {
		_ = h.Close()
		return nil, err
	}
	return h, nil
}

// builder makes a home, or what is missing of one.
type builder struct {
	options
	made []string // directories that did not exist
}

// parts in the order of their making: a home without leases/ never held any.
var parts = []string{quarantineDir, pluginsDir, ownersDir, leasesDir}

// prepare builds the home unless it was completed before, and says what it is where it cannot be one.
func (b *builder) prepare(path string) error {
	if i, err := b.sys.Lstat(cwd, path); err == nil {
		if !i.Mode.IsDir() {
			return checkPrivateDir(b.sys, path, i)
		}
		if bad := checkPrivateDir(b.sys, path, i); bad != nil {
			if err := isHome(b.sys, path); err != nil {
				return foreign(path, err)
			}
			return bad
		}
	}
	if b.whole(path) {
		return nil
	}
	if err := b.build(path); err != nil {
		return fmt.Errorf("making the state home %s: %w", path, err)
	}
	return nil
}

// foreign adds to ErrNoHome where a home could be made.
func foreign(path string, err error) error {
	if errors.Is(err, ErrNoHome) {
		return fmt.Errorf("%w, and is not private to you; one is made in a directory that does not exist yet", err)
	}
	return err
}

// whole reports whether the home was ever complete. The lock file is made after the syncs: where it is, the rest lasts.
func (b *builder) whole(path string) bool {
	_, err := b.sys.Lstat(cwd, filepath.Join(path, lockName))
	return err == nil
}

// build asks who may write above the home and what it would lie on before it makes anything. Where the new directory turns out
// to lie on something else it is taken away again.
func (b *builder) build(path string) error {
	if err := b.checkParents(path); err != nil {
		return err
	}
	ground, err := groundAt(b.sys, path)
	if err == nil {
		err = b.checkGround(path, ground)
	}
	if err == nil {
		err = b.makeDir(path)
	}
	if err != nil {
		return err
	}
	root, err := openDir(b.sys, path)
	if err != nil {
		return err
	}
	defer root.close()
	if ground, err = b.sys.Filesystem(root.fd); err != nil {
		return root.failed("statfs", ".", err)
	}
	if err := b.checkGround(path, ground); err != nil {
		b.unmake()
		return err
	}
	return b.fill(root)
}

// fill makes what is in a home.
func (b *builder) fill(root *dir) error {
	for _, name := range parts {
		if err := b.makeDir(root.join(name)); err != nil {
			return err
		}
	}
	if err := b.syncAll(root.path); err != nil {
		return err
	}
	fd, err := b.sys.Create(root.fd, lockName)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return root.failed("create", lockName, err)
	} else if err == nil {
		defer b.sys.Close(fd)
	}
	return root.sync(root.doubts.Load())
}

// unmake takes away the directories that were made, the last one first. One that somebody else uses by now is not empty and stays.
func (b *builder) unmake() {
	for _, path := range slices.Backward(b.made) {
		if err := b.sys.Rmdir(cwd, path); err != nil {
			return
		}
	}
}

// groundAt is what the path lies on, or would: the ground of the nearest directory that exists.
func groundAt(sys system, path string) (filesystem, error) {
	for {
		fd, err := sys.OpenDir(cwd, follow(path))
		if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
			continue
		}
		if err != nil {
			return filesystem{}, &fs.PathError{Op: "open directory", Path: path, Err: err}
		}
		defer sys.Close(fd)
		return sys.Filesystem(fd)
	}
}

// makeDir makes one directory and the parents that it lacks. That it is there already is no error.
func (b *builder) makeDir(path string) error {
	if _, err := b.sys.Lstat(cwd, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := b.makeDir(parent); err != nil {
		return err
	}
	fd, err := b.sys.OpenDir(cwd, follow(parent))
	if err != nil {
		return &fs.PathError{Op: "open directory", Path: parent, Err: err}
	}
	defer b.sys.Close(fd)
	switch err := b.sys.Mkdir(fd, filepath.Base(path)); {
	case err == nil:
		b.made = append(b.made, path)
	case !errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// follow spells a directory above the home so that a link to it is followed: checkParents has judged the way.
func follow(parent string) string { return parent + "/." }

// syncAll makes the directories durable, and those above the home as far as they are ours: another process may have made
// them a moment ago and not have synced them yet. Only where nothing of this builder is at stake a failure is forgiven.
func (b *builder) syncAll(path string) error {
	needed := map[string]bool{path: true}
	for _, made := range b.made {
		needed[made], needed[filepath.Dir(made)] = true, true
	}
	for above := filepath.Dir(path); ; above = filepath.Dir(above) {
		_, asked := needed[above]
		needed[above] = asked
		i, err := b.sys.Lstat(cwd, follow(above))
		if err != nil || i.UID != uint32(os.Geteuid()) || above == filepath.Dir(above) {
			break
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(needed)) {
		if err := b.syncDir(dir); err != nil && needed[dir] {
			return err
		}
	}
	return nil
}

func (b *builder) syncDir(path string) error {
	fd, err := b.sys.OpenDir(cwd, follow(path))
	if err != nil {
		return &fs.PathError{Op: "open directory", Path: path, Err: err}
	}
	defer b.sys.Close(fd)
	if err := b.sys.Sync(fd); err != nil {
		return &fs.PathError{Op: "sync directory", Path: path, Err: err}
	}
	return nil
}

func (b *builder) checkGround(path string, ground filesystem) error {
	if ground.Known || b.anyFilesystem {
		return nil
	}
	return fmt.Errorf("%s is on %s: %w; choose a local directory, or allow any file system and accept that a free lock proves nothing there",
		path, ground.Name, ErrFilesystem)
}
