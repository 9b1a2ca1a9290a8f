package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// procfs is the process table as it was mounted when the gate began. It is held open: whoever unmounts it, or mounts something
// over it, changes a name, not what is behind the descriptor.
type procfs struct{ fs.FS }

// holdProcfs opens it for good. In a PID namespace of our own that is the one of this namespace, once it is mounted.
func holdProcfs() (procfs, error) {
	root, err := os.OpenRoot("/proc")
	if err != nil {
		return procfs{}, err
	}
	return procfs{root.FS()}, nil
}

// children returns the pids of our children. The kernel keeps them by thread; without that file (CONFIG_PROC_CHILDREN) every
// process is asked for its parent. Beside an error there may be more of them.
func (p procfs) children() ([]int, error) {
	threads, err := fs.ReadDir(p, "self/task")
	if err != nil {
		return nil, fmt.Errorf("our children cannot be listed: %w", err)
	}
	var pids []int
	var failed error
	listed := false
	for _, t := range threads {
		b, err := fs.ReadFile(p, "self/task/"+t.Name()+"/children")
		switch {
		case err == nil:
			listed = true
			pids = append(pids, numbersIn(b)...)
		case !ended(err):
			failed = fmt.Errorf("our children cannot be listed: %w", err)
		}
	}
	if !listed && failed == nil {
		return p.byParent()
	}
	return pids, failed
}

// ended recognizes what is read of a thread or process that has just gone.
func ended(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

func numbersIn(b []byte) (pids []int) {
	for _, field := range bytes.Fields(b) {
		if pid, err := strconv.Atoi(string(field)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (p procfs) byParent() ([]int, error) {
	processes, err := fs.ReadDir(p, ".")
	if err != nil {
		return nil, fmt.Errorf("our children cannot be listed: %w", err)
	}
	var pids []int
	var failed error
	for _, dir := range processes {
		pid, err := strconv.Atoi(dir.Name())
		if err != nil {
			continue
		}
		b, err := fs.ReadFile(p, dir.Name()+"/stat")
		if err != nil {
			if !ended(err) && !errors.Is(err, fs.ErrPermission) { // what is hidden from us is no child of ours
				failed = fmt.Errorf("our children cannot be listed: %w", err)
			}
			continue
		}
		// "12 (name) S 1 ...": the name may hold anything, so count from the last parenthesis.
		rest := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(rest) > 1 && string(rest[1]) == strconv.Itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids, failed
}
