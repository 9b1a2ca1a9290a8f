package process

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// States of a process in /proc/<pid>/stat that matter here.
const (
	stateZombie  = 'Z'
	stateStopped = 'T'
	stateTraced  = 't'
)

// stat is what counts of /proc/<pid>/stat.
type stat struct {
	state byte
	start string // ticks since boot of the time namespace, in digits as read
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

// parseStat takes fields 3 and 22. The name in field 2 is the process's own
// choice and may hold blanks, newlines and parentheses, but nothing after it
// does: the last ")" is the kernel's.
func parseStat(content []byte, pid int64) (stat, error) {
	const afterName, state, start = 3, 3, 22
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
	return stat{state: fields[state-afterName][0], start: ticks}, nil
}
