package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxFile bounds what is read of one file: arguments and environment together are
// at most three quarters of 8 MiB, whatever the limit of the stack is.
const maxFile = 8 << 20

// procfs is /proc, opened once for each answer so that all of the answer comes
// from the same mount.
type procfs struct {
	root  string // for messages
	dir   int
	magic int64
}

// open returns /proc if it is procfs and shows the caller's PID namespace. Every
// error is ErrNoIdentity.
func (i inspector) open() (*procfs, error) {
	dir, err := unix.Open(i.root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, noIdentity("%s cannot be opened: %w%s", i.root, err, remedy(err))
	}
	p := &procfs{root: i.root, dir: dir, magic: i.magic}
	if err := cmp.Or(p.onProcfs(dir), p.checkNamespace()); err != nil {
		p.close()
		return nil, noIdentity("%s: %w%s", i.root, err, remedy(err))
	}
	return p, nil
}

// remedy says what helps. What ran out here is no fault of /proc's.
func remedy(err error) string {
	switch {
	case errors.Is(err, unix.EMFILE):
		return "; this process has no descriptor left (ulimit -n)"
	case errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOMEM):
		return "; the system has run out of them"
	}
	return "; mount procfs there (as unshare --mount-proc does)"
}

func (p *procfs) close() { _ = unix.Close(p.dir) }

// checkNamespace refuses a /proc of another PID namespace, whose numbers are
// other processes'. One number can by chance mean the caller in both namespaces;
// NSpid then still lists one for each namespace between the two.
func (p *procfs) checkNamespace() error {
	var link [32]byte
	n, err := unix.Readlinkat(p.dir, "self", link[:])
	if err != nil {
		return fmt.Errorf("the caller is not in it: %w", err)
	}
	if self := string(link[:n]); self != strconv.Itoa(os.Getpid()) {
		return fmt.Errorf("of another PID namespace: it takes the caller, pid %d, for %s", os.Getpid(), self)
	}
	status, err := p.read("self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if pids, ok := strings.CutPrefix(line, "NSpid:"); ok && len(strings.Fields(pids)) != 1 {
			return errors.New("of another PID namespace, one that encloses the caller's")
		}
	}
	return nil
}

// read returns a file of /proc, if it is procfs's own. Nothing is followed and
// nothing is waited for, whatever may have been mounted there.
func (p *procfs) read(name string) ([]byte, error) {
	fd, err := unix.Openat(p.dir, name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, p.fail("open", name, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := cmp.Or(p.onProcfs(fd), notMountedOver(fd)); err != nil {
		return nil, p.fail("trust", name, err)
	}
	content := make([]byte, 0, 4096)
	for len(content) < maxFile {
		if len(content) == cap(content) {
			content = append(content, 0)[:len(content)]
		}
		n, err := unix.Read(fd, content[len(content):cap(content)])
		if err != nil {
			return nil, p.fail("read", name, err)
		}
		if n == 0 {
			return content, nil
		}
		content = content[:len(content)+n]
	}
	return nil, p.fail("read", name, unix.EFBIG)
}

func (p *procfs) fail(op, name string, err error) error {
	return &os.PathError{Op: op, Path: filepath.Join(p.root, name), Err: err}
}

func (p *procfs) onProcfs(fd int) error {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return fmt.Errorf("statfs: %w", err)
	}
	if int64(fs.Type) != p.magic {
		return errors.New("not procfs")
	}
	return nil
}

// notMountedOver refuses a file that is itself a mount point: a bind mount of
// another file, of this procfs even, in the place of the real one.
func notMountedOver(fd int) error {
	var stx unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, 0, &stx); err != nil {
		return fmt.Errorf("statx: %w", err)
	}
	switch {
	case stx.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT == 0:
		return errors.New("this kernel cannot tell whether it is mounted over (Linux 5.8 can)")
	case stx.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return errors.New("mounted over")
	}
	return nil
}
