package scene

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// moreFiles makes room for n more open files.
func moreFiles(n int) error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	need := uint64(n) + 1000
	if l.Cur >= need {
		return nil
	}
	l.Cur, l.Max = need, max(l.Max, need)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("holding %d locks needs %d open files: %w", n, need, err)
	}
	return nil
}
