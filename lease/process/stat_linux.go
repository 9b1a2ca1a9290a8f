package process

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// States of a process in /proc/<pid>/stat that matter here.
const (
	stateRunning = 'R'
	stateWaiting = 'D' // for a disk or for memory
	stateZombie  = 'Z'
	stateDead    = 'X'
	stateStopped = 'T'
	stateTraced  = 't'
)

// stat is what counts of /proc/<pid>/stat.
type stat struct {
	state  byte
	kernel bool   // a thread of the kernel: it has no program, and so no environment
	start  string // ticks since boot of the time namespace, in digits as read
}

// ticks is the start as a number; parseStat has read it as one.
func (s stat) ticks() uint64 {
	n, _ := strconv.ParseUint(s.start, 10, 64)
	return n
}

func (p *procfs) statOf(pid int64) (stat, error) {
	return p.stat(strconv.FormatInt(pid, 10), pid)
}

// stat reads the stat file of an entry of /proc that must be pid's.
func (p *procfs) stat(entry string, pid int64) (stat, error) {
	name := entry + "/stat"
	content, err := p.read(name)
	if err != nil {
		return stat{}, err
	}
	s, err := parseStat(content, pid)
	if err != nil {
		return stat{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// kernelThread is the bit PF_KTHREAD of the flags.
const kernelThread = 0x00200000

// parseStat takes fields 3, 9 and 22. The name in field 2 is the process's own
// choice and may hold blanks, newlines and parentheses, but nothing after it
// does: the last ")" is the kernel's.
func parseStat(content []byte, pid int64) (stat, error) {
	const afterName, state, flags, start = 3, 3, 9, 22
	if !bytes.HasPrefix(content, fmt.Appendf(nil, "%d (", pid)) {
		return stat{}, fmt.Errorf("not of pid %d", pid)
	}
	fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
	if len(fields) <= start-afterName || len(fields[state-afterName]) != 1 {
		return stat{}, errors.New("too few fields")
	}
	ticks := string(fields[start-afterName])
	if _, err := strconv.ParseUint(ticks, 10, 64); err != nil {
		return stat{}, fmt.Errorf("start time: %w", err)
	}
	bits, err := strconv.ParseUint(string(fields[flags-afterName]), 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("flags: %w", err)
	}
	return stat{state: fields[state-afterName][0], kernel: bits&kernelThread != 0, start: ticks}, nil
}
