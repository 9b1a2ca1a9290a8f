package process

import (
	"errors"
	"fmt"
	"io/fs"
)

// maxPID is PID_MAX_LIMIT, the largest pid any Linux kernel gives.
const maxPID = 1 << 22

func (i inspector) Status(id Identity, inode uint64) (Status, string) {
	if flaw := id.flaw(); flaw != "" {
		return Unknown, flaw
	}
	proc, err := i.open()
	if err != nil {
		return Unknown, err.Error()
	}
	defer proc.close()
	bootID, err := proc.boot()
	switch {
	case err != nil:
		return Unknown, err.Error()
	case bootID != id.BootID:
		return Dead, "of another boot"
	case id.PID > maxPID:
		// No kernel gave this pid, so whoever wrote it saw no such process: the
		// record is wrong, and a wrong record proves nothing about the right one.
		return Unknown, fmt.Sprintf("no kernel gives pid %d: the record is wrong", id.PID)
	}
	return judge(id, inode, i.observe(proc, id.PID))
}

// judge decides what an observation of id's pid, in id's boot, says of id. The
// rungs stand in the order of their strength.
func judge(id Identity, inode uint64, seen observation) (Status, string) {
	pinned := seen.pinErr == nil
	switch {
	case seen.exited && seen.stat.state == stateZombie:
		return Dead, "zombie"
	case seen.exited:
		// Whichever process was pinned: nobody alive had the pid.
		return Dead, "has ended"
	case seen.missing():
		return Dead, "no such process"
	case seen.exitErr != nil:
		return Unknown, fmt.Sprintf("pid %d cannot be watched: %v", id.PID, seen.exitErr)
	case pinned && inode != 0 && seen.inode == inode:
		return Live, "pidfs inode equal" + manner(seen.stat)
	case pinned && inode != 0 && seen.inode != 0:
		return Dead, fmt.Sprintf("pid %d is another process (another pidfs inode)", id.PID)
	case seen.statErr != nil:
		return Unknown, unreadable(id.PID, seen)
	case startID(id.BootID, seen.stat.start) != id.StartID:
		return Dead, fmt.Sprintf("pid %d is another process (started at another time)", id.PID)
	case !pinned:
		return Unknown, fmt.Sprintf("pid %d cannot be pinned: %v", id.PID, seen.pinErr)
	}
	return Live, "start time equal" + manner(seen.stat)
}

// manner says what a reader of ps might take for death. State Z without an exited
// pidfd is a leader thread that ended before the other threads of its process.
func manner(s stat) string {
	switch s.state {
	case stateZombie:
		return ", leader thread ended, others run"
	case stateStopped, stateTraced:
		return ", stopped"
	}
	return ""
}

func unreadable(pid int64, seen observation) string {
	switch {
	case errors.Is(seen.killErr, fs.ErrPermission), errors.Is(seen.statErr, fs.ErrPermission):
		return fmt.Sprintf("pid %d exists, but may not be looked at: permission denied", pid)
	case errors.Is(seen.statErr, fs.ErrNotExist):
		return fmt.Sprintf("pid %d exists, but is hidden from /proc (hidepid?)", pid)
	}
	return fmt.Sprintf("pid %d cannot be read: %v", pid, seen.statErr)
}
