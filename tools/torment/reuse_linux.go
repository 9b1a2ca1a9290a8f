package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// lastPID is where the kernel takes the next number of this PID namespace from.
const lastPID = "/proc/sys/kernel/ns_last_pid"

// tries is how often a number is asked for: others fork too, and a zombie keeps its number until it
// is buried.
const tries = 400

var errTaken = errors.New("the number could not be given to a stranger")

// stranger starts a bystander that has exactly that number, as process, as group and as session.
func stranger(self string, pid int) (*bystander, error) {
	for range tries {
		if syscall.Kill(pid, 0) == nil { // somebody has it still
			time.Sleep(time.Millisecond)
			continue
		}
		cmd := exec.Command(self, "stand")
		cmd.Env = append(os.Environ(), calm)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := os.WriteFile(lastPID, []byte(strconv.Itoa(pid-1)), 0); err != nil {
			return nil, err
		}
		b, err := attend(cmd)
		if err != nil {
			return nil, err
		}
		if b.pid() == pid {
			return b, nil
		}
		b.dismiss()
	}
	return nil, fmt.Errorf("%w: %d", errTaken, pid)
}
