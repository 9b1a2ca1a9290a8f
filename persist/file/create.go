package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Create opens the home in dir and first makes, durably, what is missing of it, missing parents included. Several
// processes may do that at once. Errors are those of Open without ErrNoHome, ErrFilesystem, and those of making and
// syncing. The caller closes the home.
func Create(dir string, opts ...Option) (*Home, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the state home %q: %w", dir, err)
	}
	b := builder{sys: o.sys, anyFilesystem: o.anyFilesystem}
	if !b.whole(path) {
		if err := b.build(path); err != nil {
			return nil, fmt.Errorf("making the state home %s: %w", path, err)
		}
	}
	h, err := openHome(o.sys, path)
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
	sys           system
	anyFilesystem bool
	made          []string // directories that did not exist
}

// parts in the order of their making: a home without leases/ never held any.
var parts = []string{quarantineDir, pluginsDir, ownersDir, leasesDir}

// whole reports whether the home is complete. The lock file is made after the syncs: where it is, the rest lasts.
func (b *builder) whole(path string) bool {
	for _, name := range append([]string{lockName}, parts...) {
		if _, err := b.sys.lstat(cwd, filepath.Join(path, name)); err != nil {
			return false
		}
	}
	return true
}

func (b *builder) build(path string) error {
	if err := b.makeDir(path); err != nil {
		return err
	}
	root, err := openDir(b.sys, path)
	if err != nil {
		return err
	}
	defer root.close()
	ground, err := b.sys.filesystem(root.fd)
	if err != nil {
		return root.failed("statfs", ".", err)
	}
	if err := b.checkGround(path, ground); err != nil {
		return err
	}
	for _, name := range parts {
		if err := b.makeDir(root.join(name)); err != nil {
			return err
		}
	}
	if err := b.syncAll(path); err != nil {
		return err
	}
	fd, err := b.sys.create(root.fd, lockName)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return root.failed("create", lockName, err)
	} else if err == nil {
		defer b.sys.close(fd)
	}
	return root.sync(root.doubts.Load())
}

// makeDir makes one directory and the parents that it lacks. That it is there already is no error.
func (b *builder) makeDir(path string) error {
	if _, err := b.sys.lstat(cwd, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := b.makeDir(parent); err != nil {
		return err
	}
	fd, err := b.sys.openDir(cwd, follow(parent))
	if err != nil {
		return &fs.PathError{Op: "open directory", Path: parent, Err: err}
	}
	defer b.sys.close(fd)
	switch err := b.sys.mkdir(fd, filepath.Base(path)); {
	case err == nil:
		b.made = append(b.made, path)
	case !errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// follow spells a directory above the home so that a link to it is followed: who may move those is not ours to judge.
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
		i, err := b.sys.lstat(cwd, follow(above))
		if err != nil || i.uid != whoami() || above == filepath.Dir(above) {
			break
		}
	}
	for dir, must := range needed {
		if err := b.syncDir(dir); err != nil && must {
			return err
		}
	}
	return nil
}

func (b *builder) syncDir(path string) error {
	fd, err := b.sys.openDir(cwd, follow(path))
	if err != nil {
		return &fs.PathError{Op: "open directory", Path: path, Err: err}
	}
	defer b.sys.close(fd)
	if err := b.sys.sync(fd); err != nil {
		return &fs.PathError{Op: "sync directory", Path: path, Err: err}
	}
	return nil
}

func (b *builder) checkGround(path string, ground filesystem) error {
	if ground.known || b.anyFilesystem {
		return nil
	}
	return fmt.Errorf("%s is on %s: %w; choose a local directory, or allow any file system and accept that a free lock proves nothing there",
		path, ground.name, ErrFilesystem)
}
