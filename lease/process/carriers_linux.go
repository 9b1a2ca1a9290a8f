package process

import (
	"bytes"
	"os"
	"strconv"

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
		if value, carries := proc.variable(name, variable); carries {
			found[pid] = value
		}
	}
	return found
}

// variable returns a variable of a process's environment, as it was when the process began to execute its program.
func (p *procfs) variable(pid, name string) (value string, carries bool) {
	environ, err := p.read(pid + "/environ")
	if err != nil {
		return "", false // it is another user's, or has just ended
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			return string(value), true
		}
	}
	return "", false
}
