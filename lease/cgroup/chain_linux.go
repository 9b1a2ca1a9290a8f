package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	deepest      = 256  // no hierarchy of people goes so deep
	longestChain = 1024 // of characters, as a record may hold
)

// climb returns the inodes from the root of dir's mount down to dir. The parent of a group never
// changes, so what it meets on its way up is what lies above.
func climb(dir *os.File) (inodes []uint64, err error) {
	at := dir
	for range deepest {
		n, err := inode(at)
		if err != nil {
			return nil, err
		}
		inodes = append(inodes, n)
		up, err := openBy(at, "..", unix.O_PATH|unix.O_DIRECTORY, unix.RESOLVE_NO_XDEV)
		if at != dir {
			at.Close()
		}
		switch {
		case errors.Is(err, unix.EXDEV): // above lies another mount
			slices.Reverse(inodes)
			return inodes, nil
		case err != nil:
			return nil, err
		}
		at = up
	}
	at.Close()
	return nil, fmt.Errorf("%s lies deeper than %d groups", dir.Name(), deepest)
}

// writeChain is a Place's Chain of inodes, "" where a record could not hold it.
func writeChain(inodes []uint64) string {
	words := make([]string, len(inodes))
	for i, n := range inodes {
		words[i] = strconv.FormatUint(n, 10)
	}
	if s := strings.Join(words, "/"); len(s) <= longestChain {
		return s
	}
	return ""
}

// readChain takes p.Chain apart. It must end in the group and its parent.
func (p Place) readChain() (inodes []uint64, err error) {
	for word := range strings.SplitSeq(p.Chain, "/") {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the chain %q of %s: %w", p.Chain, p.Path, err)
		}
		inodes = append(inodes, n)
	}
	n := len(inodes)
	if n < 2 || inodes[n-1] != p.Inode || inodes[n-2] != p.ParentInode {
		return nil, fmt.Errorf("the chain %q does not end in %s (inode %d, of its parent %d)",
			p.Chain, p.Path, p.Inode, p.ParentInode)
	}
	return inodes, nil
}

// split parts p.Path into the directory that is the root of the mount, n groups above, and the names
// of the groups between them and the last one.
func (p Place) split(n int) (top string, names []string, err error) {
	top = p.Path
	for range n {
		if top == "/" || top == "." {
			return "", nil, fmt.Errorf("the chain %q is longer than the path %s", p.Chain, p.Path)
		}
		names = append(names, filepath.Base(top))
		top = filepath.Dir(top)
	}
	slices.Reverse(names)
	return top, names[:n-1], nil
}

// walk opens the directory that the group lies in, down from the root of the mount. Below a directory
// that is the recorded one, no child of the recorded name, or another one, means that the recorded
// child is gone and with it all below: a group is never renamed, and goes only after its last child.
func (p Place) walk() (*os.File, error) {
	inodes, err := p.readChain()
	if err != nil {
		return nil, err
	}
	top, names, err := p.split(len(inodes) - 1)
	if err != nil {
		return nil, err
	}
	at, err := openParent(top)
	if err != nil {
		return nil, err
	}
	if err := isStill(at, inodes[0]); err != nil {
		at.Close()
		return nil, err
	}
	for i, name := range names {
		next, err := step(at, name, inodes[i+1])
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// isStill wants the inode of what was opened by its path to be the recorded one.
func isStill(f *os.File, recorded uint64) error {
	n, err := inode(f)
	if err == nil && n != recorded {
		err = fmt.Errorf("%s is not the directory that it was (inode %d, recorded %d)",
			f.Name(), n, recorded)
	}
	return err
}

// step opens a child of a directory that is the recorded one. ErrGone: it has no such child any more.
func step(at *os.File, name string, recorded uint64) (*os.File, error) {
	next, err := openIn(at, name, unix.O_PATH|unix.O_DIRECTORY)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, fmt.Errorf("%s: %w", filepath.Join(at.Name(), name), ErrGone)
	case err != nil:
		return nil, err
	}
	n, err := inode(next)
	switch {
	case err != nil:
	case n != recorded:
		err = fmt.Errorf("%s is another group: %w", next.Name(), ErrGone)
	default:
		return next, nil
	}
	next.Close()
	return nil, err
}
