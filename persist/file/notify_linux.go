package file

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// happenings are what a record or a lock can go through: made, renamed, removed, written and closed, its mode changed.
const happenings = unix.IN_CREATE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_ONLYDIR

// Notifier is a watch on leases/ and owners/; see Touched.
type Notifier struct {
	f      *os.File
	leases int32 // the watch's number for leases/; every other is owners/
	buf    [16 << 10]byte
}

// Notify begins to watch; what happens from now on is told by Wait. The caller closes. ErrHomeReplaced, or what the system
// says: a user may have only so many watches.
func (h *Home) Notify() (*Notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &Notifier{f: os.NewFile(uintptr(fd), "inotify")}
	for _, d := range []*dir{h.owners, h.leases} {
		wd, err := unix.InotifyAddWatch(fd, d.path, happenings)
		if err == nil {
			n.leases = int32(wd)
			err = d.check() // it may have been another directory that was watched
		}
		if err != nil {
			return nil, errors.Join(d.failed("watch", ".", err), n.f.Close())
		}
	}
	return n, nil
}

// Wait waits until something may have changed, or until pause has passed: then nothing is Touched. An error is ctx's, or
// of the watch itself, which then is of no more use.
func (n *Notifier) Wait(ctx context.Context, pause time.Duration) (Touched, error) {
	if err := ctx.Err(); err != nil {
		return Touched{}, err
	}
	if err := n.f.SetReadDeadline(time.Now().Add(pause)); err != nil {
		return Touched{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = n.f.SetReadDeadline(time.Unix(1, 0)) })
	size, err := n.f.Read(n.buf[:])
	stop()
	switch {
	case ctx.Err() != nil:
		return Touched{}, ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Touched{}, nil
	case err != nil:
		return Touched{}, err
	}
	return n.touched(n.buf[:size]), nil
}

// touched reads the kernel's events: a header of 16 bytes each, and a name that is padded with NUL bytes.
func (n *Notifier) touched(b []byte) (t Touched) {
	for len(b) >= unix.SizeofInotifyEvent {
		watch, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00"))
		b = b[end:]
		key, ok := ownerKey(name)
		if watch == n.leases {
			key, ok = keyOfLease(name)
		}
		switch {
		case mask&(unix.IN_Q_OVERFLOW|unix.IN_IGNORED) != 0:
			t.All = true
		case ok && !slices.Contains(t.Keys, key):
			t.Keys = append(t.Keys, key)
		}
	}
	return t
}

// Close ends the watch.
func (n *Notifier) Close() error { return n.f.Close() }
