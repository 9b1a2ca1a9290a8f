//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"containlease/lease/cgroup"
)

// around returns the processes of a trial that are alive: they all began in its directory.
func (b *beside) around() (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if at, err := os.Readlink(l); err == nil && at == b.dir {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(l)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// child is the one that the plugin left; 0: it has ended, or never was.
func (b *beside) child() int {
	for _, pid := range b.around() {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.Equal(cmdline, []byte("sleep\x00600\x00")) {
			return pid
		}
	}
	return 0
}

// free ends a tracer that has lost a thread: it attached while that one was being born, and never lets it go.
func (b *beside) free() {
	stuck := map[string]int{}
	const looks = 20
	for range looks {
		for _, pid := range b.around() {
			threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
			for _, t := range threads {
				if stat, err := os.ReadFile(t); err == nil && bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" t")) {
					stuck[t]++
				}
			}
		}
		time.Sleep(runLimit / 400)
	}
	for _, times := range stuck {
		if times == looks {
			_ = b.tracer.Process.Kill()
		}
	}
}

// clear ends what is left of a trial. With the child gone and nothing refused any more a gate ends by itself, if it does not use the
// processor for something else.
func (b *beside) clear() error {
	if b.tracer != nil && b.tracer.Process != nil {
		_ = b.tracer.Process.Signal(syscall.SIGTERM) // it lets go; where a thread is just ending it may wait for that for ever
		last := time.AfterFunc(runLimit/20, func() { _ = b.tracer.Process.Kill() })
		_ = b.tracer.Wait()
		last.Stop()
	}
	if child := b.child(); child != 0 {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	for end := time.Now().Add(runLimit / 4); len(b.around()) > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	for _, pid := range b.around() {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		b.breaks("pid %d (%s) does not end, and has used %s", pid, bytes.TrimSpace(name), used(pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return b.ungroup()
}

// ungroup removes the control group of a lease that stayed.
func (b *beside) ungroup() error {
	own, err := cgroup.Own()
	if err != nil {
		return nil // then there is none
	}
	records, _ := filepath.Glob(filepath.Join(b.home, "*", "*"))
	for _, r := range records {
		id, _, _ := strings.Cut(filepath.Base(r), ".")
		if err := os.Remove(filepath.Join(own, cgroup.Prefix+id)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// used is the processor time of a process.
func used(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
