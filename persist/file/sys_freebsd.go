package file

import "golang.org/x/sys/unix"

func (kernel) Sync(fd int) error { return retry(func() error { return unix.Fsync(fd) }) }
