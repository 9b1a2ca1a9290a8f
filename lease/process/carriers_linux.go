package process

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func (i inspector) Carriers(variable string) map[int64]string {
	proc, err := i.open()
	if err != nil {
		return nil
	}
	defer proc.close()
	fd, err := unix.Openat(proc.dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	dir := os.NewFile(uintptr(fd), i.root)
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	found := map[int64]string{}
	for _, name := range names {
		pid, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			continue
		}
		value := within(stuck, func() string { return proc.variable(name, variable) })
		if value != "" {
			found[pid] = value
		}
	}
	return found
}

// stuck is how long one process is asked for. Its environment is its memory, which a process that hangs in a fault (a file
// server that is gone) lets nobody look at.
const stuck = time.Second

// within is what ask returns, and "" after d: then ask is left behind.
func within(d time.Duration, ask func() string) string {
	answer := make(chan string, 1)
	go func() { answer <- ask() }()
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case a := <-answer:
		return a
	case <-limit.C:
		return ""
	}
}

// variable returns a variable of a process's environment, as it was when the process began to execute its program; "" where
// it has none, is another user's, or has just ended.
func (p *procfs) variable(pid, name string) string {
	environ, err := p.read(pid + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			return string(value)
		}
	}
	return ""
}
