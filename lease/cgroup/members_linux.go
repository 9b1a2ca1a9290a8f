package cgroup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Members stand-in.
func Members(p Place) (pids []int64, hidden int, err error) {
	g, err := Open(p)
	if err != nil {
		return nil, 0, err
	}
	defer g.Close()
	err = filepath.WalkDir(p.Path, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		b, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		if errors.Is(err, unix.ENODEV) {
			return nil
		}
		for _, f := range bytes.Fields(b) {
			n, _ := strconv.ParseInt(string(f), 10, 64)
			if n == 0 {
				hidden++
			} else {
				pids = append(pids, n)
			}
		}
		return err
	})
	return pids, hidden, err
}
