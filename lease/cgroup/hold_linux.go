package cgroup

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// holdWait is how long Hold waits for a sweep, which looks for some microseconds.
const holdWait = 100 * time.Millisecond

// Hold keeps every sweep from the group, by a shared lock on its directory, until g is closed or the
// process has ended: a group that nobody holds, and without a process, is litter. Make holds what it
// makes. ErrGone: the group was removed meanwhile.
//
// Who locks it against us for longer has been stopped, or is no sweep, and is not waited for: at worst
// the group is removed while it is empty, and no process can be started in it.
func (g *Group) Hold() error {
	err := lock(g.dir, unix.LOCK_SH)
	for end := time.Now().Add(holdWait); errors.Is(err, unix.EWOULDBLOCK) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		err = lock(g.dir, unix.LOCK_SH)
	}
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		return err
	}
	return g.there()
}

// lock locks a directory without waiting. EWOULDBLOCK: somebody else has it. It is the open file's, so
// it ends with its last descriptor.
func lock(dir *os.File, how int) (err error) {
	for range tries {
		if err = unix.Flock(int(dir.Fd()), how|unix.LOCK_NB); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return &os.PathError{Op: "lock", Path: dir.Name(), Err: err}
	}
	return nil
}
