//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// bare makes the system calls of a replacement and nothing else.
type bare struct {
	dir     *os.File
	spare   string
	record  string
	path    string // of the spare
	files   [2]int // the record and its spare take turns
	content []byte
	n       int
}

// newBare works in the directory path, which it makes if it has to, with names that begin with name.
func newBare(path, name string, content []byte) (*bare, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := &bare{dir: dir, spare: name + ".spare", record: name + ".record", path: filepath.Join(path, name+".spare"), content: content}
	for i, name := range []string{b.spare, b.record} {
		if err := os.WriteFile(filepath.Join(path, name), content, 0o600); err != nil {
			return nil, err
		}
		if b.files[i], err = unix.Openat(int(dir.Fd()), name, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
			return nil, err
		}
	}
	return b, errors.Join(unix.Fsync(b.files[0]), unix.Fsync(b.files[1]), dir.Sync())
}

func (b *bare) close() error {
	return errors.Join(unix.Close(b.files[0]), unix.Close(b.files[1]), b.dir.Close())
}

// exchange is pwrite + fdatasync + renameat2 EXCHANGE + fsync of the directory.
func (b *bare) exchange() error {
	fd, dir := b.files[b.n%2], int(b.dir.Fd())
	b.n++
	if _, err := unix.Pwrite(fd, b.content, 0); err != nil {
		return err
	}
	if err := unix.Fdatasync(fd); err != nil {
		return err
	}
	if err := unix.Renameat2(dir, b.spare, dir, b.record, unix.RENAME_EXCHANGE); err != nil {
		return err
	}
	return unix.Fsync(dir)
}

// transition is every system call that one transition of a lease makes: a look at the liveness lock, and replace.
func (b *bare) transition() error {
	var st unix.Stat_t
	return errors.Join(unix.Fstatat(unix.AT_FDCWD, b.path, &st, unix.AT_SYMLINK_NOFOLLOW), b.replace())
}

// replace is every system call that one replacement of a record makes, in its order, and nothing else: look at the spare and
// stage in it, lock, look at the spare by its path, read what is replaced, look at its name, publish, unlock, settle.
func (b *bare) replace() error {
	spare, record, dir := b.files[b.n%2], b.files[(b.n+1)%2], int(b.dir.Fd())
	b.n++
	var st unix.Stat_t
	look := func(dir int, name string) error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) }
	err := look(dir, b.spare)
	if err == nil {
		_, err = unix.Pwrite(spare, b.content, 0)
	}
	err = errors.Join(err, unix.Fstat(spare, &st), unix.Fdatasync(spare), unix.Flock(dir, unix.LOCK_SH|unix.LOCK_NB),
		look(dir, b.record), look(unix.AT_FDCWD, b.path))
	if err != nil {
		return err
	}
	_, err = unix.Pread(record, make([]byte, len(b.content)), 0)
	return errors.Join(err, look(dir, b.record),
		unix.Renameat2(dir, b.spare, dir, b.record, unix.RENAME_EXCHANGE), unix.Flock(dir, unix.LOCK_UN), unix.Fsync(dir))
}

// temporary is a temporary file + fdatasync + rename + fsync of the directory.
func (b *bare) temporary() error {
	dir := int(b.dir.Fd())
	fd, err := unix.Openat(dir, "temporary", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, b.content)
	if err == nil {
		err = unix.Fdatasync(fd)
	}
	err = errors.Join(err, unix.Close(fd))
	if err == nil {
		err = unix.Renameat(dir, "temporary", dir, "other")
	}
	if err == nil {
		err = unix.Fsync(dir)
	}
	return err
}

// readAll is readdir + open + read + close of every lease in a directory.
func readAll(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	buf := make([]byte, 4096)
	for _, name := range names {
		if name[0] == '.' {
			continue
		}
		fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		_, err = unix.Read(fd, buf)
		if err = errors.Join(err, unix.Close(fd)); err != nil {
			return err
		}
	}
	return nil
}
