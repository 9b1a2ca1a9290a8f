package main

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// shortTitle is how much of the environment a title of ordinary length reaches.
const shortTitle = 16

// retitle overwrites this process's arguments and what follows them, as setproctitle does.
func (n *node) retitle() error {
	if n.Title == "" {
		return nil
	}
	args, env, end, err := area()
	if err != nil {
		return err
	}
	if n.Title == titleShort {
		end = min(end, env+shortTitle)
	} else {
		n.told.Bare = true
		if err := n.tell(nil); err != nil {
			return err
		}
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = unix.Pwrite(int(mem.Fd()), make([]byte, end-args), args)
	return os.NewSyscallError("pwrite", err)
}

// area is where the kernel has put the arguments and the environment: fields 48 to 51 of stat.
func area() (args, env, end int64, err error) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, 0, err
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the third is the first of these
	if len(fields) < 49 {
		return 0, 0, 0, errors.New("/proc/self/stat is too short")
	}
	var errs [3]error
	for i, to := range []*int64{&args, &env, &end} {
		*to, errs[i] = strconv.ParseInt(string(fields[[]int{45, 47, 48}[i]]), 10, 64)
	}
	return args, env, end, errors.Join(errs[:]...)
}
