package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// passes bounds how often /proc is listed for one Look. A process may end between the listing and the look at it, and leave a
// child that was not there to be listed: so there is another listing until nobody slips away.
const passes = 8

// Look lists, looks at whoever is new, and lists again.
func (i inspector) Look(variable string) Census {
	proc, err := i.open()
	if err != nil {
		return Census{Err: err}
	}
	// Without it nobody can be told to be the one on record; that somebody carries the variable is seen all the same.
	bootID, _ := proc.boot()
	l := looker{i: i, proc: proc, bootID: bootID, variable: variable, seen: map[int64]bool{}, ended: map[int64]bool{},
		census: Census{inodes: map[uint64]int64{}}}
	defer l.close()
	for pass := range passes {
		slipped, err := l.pass()
		switch {
		case err != nil:
			l.census.Err = err
			return l.done()
		case slipped == 0 && pass > 0:
			return l.done()
		}
	}
	l.census.Err = fmt.Errorf("in each of %d listings of %s somebody ended before it was looked at", passes, i.root)
	return l.done()
}

// looker is one Look at work.
type looker struct {
	i        inspector
	proc     *procfs
	bootID   string
	variable string
	hanging  bool           // some look at a process goes on
	looks    sync.WaitGroup // they need proc
	seen     map[int64]bool
	ended    map[int64]bool // when it was looked at; a zombie stays listed
	census   Census
}

func (l *looker) close() {
	end := func() { l.looks.Wait(); l.proc.close() }
	if l.hanging {
		go end()
		return
	}
	end()
}

func (l *looker) done() Census {
	slices.SortFunc(l.census.Carriers, func(a, b Carrier) int { return cmp.Compare(a.PID, b.PID) })
	slices.SortFunc(l.census.Unseen, func(a, b Unseen) int { return cmp.Compare(a.PID, b.PID) })
	return l.census
}

// pass looks at those that no pass has seen, and counts who ended first. Who is listed is looked at even if not everybody is.
func (l *looker) pass() (slipped int, err error) {
	pids, err := l.proc.pids()
	for _, pid := range pids {
		switch {
		case l.seen[pid]:
		case l.look(pid):
			l.seen[pid] = true
		case !l.ended[pid]:
			l.ended[pid] = true
			slipped++
		}
	}
	return slipped, err
}

// stuck is how long one process is asked for. Its environment is its memory, which a process that hangs in a fault (a file
// server that is gone) lets nobody look at.
const stuck = time.Second

// look asks one process, and reports false if it has ended.
func (l *looker) look(pid int64) (there bool) {
	answers := make(chan glance, 1)
	l.looks.Go(func() { answers <- l.glance(pid) })
	limit := time.NewTimer(stuck)
	defer limit.Stop()
	var g glance
	select {
	case g = <-answers:
	case <-limit.C:
		l.hanging, g.err = true, errors.New("it lets nobody look")
	}
	l.note(pid, g)
	return !g.ended
}

func (l *looker) note(pid int64, g glance) {
	if g.inode != 0 && !g.ended {
		l.census.inodes[g.inode] = pid
	}
	switch {
	case g.ended:
	case g.err != nil:
		l.census.Unseen = append(l.census.Unseen, Unseen{pid, g.start})
	case g.value != "":
		l.census.Carriers = append(l.census.Carriers, Carrier{Process{g.id, g.inode}, g.value})
	}
}

// glance is what was seen of one process. Of one that ended nothing else counts.
type glance struct {
	id    Identity
	inode uint64
	start uint64
	value string
	ended bool
	err   error // it may have the variable
}

// glance pins the process, so that all it tells is of one.
func (l *looker) glance(pid int64) (g glance) {
	pidfd, err := l.i.pin(pid)
	if err == nil {
		g.inode = pidfd.Inode()
		defer pidfd.Close()
	}
	s, serr := l.proc.statOf(pid)
	if serr != nil {
		g.ended, g.err = isEnd(serr), serr
		return g
	}
	g.id, g.start = newIdentity(pid, l.bootID, s.start), s.ticks()
	if !s.kernel {
		g.value, g.err = l.proc.variable(pid, l.variable)
	}
	if g.ended = isEnd(g.err); err == nil && !g.ended {
		exited, xerr := pidfd.Exited()
		g.ended, g.err = exited, cmp.Or(g.err, xerr)
	}
	return g
}

// isEnd: /proc says so of a process that is not there, or no more.
func isEnd(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) }

// pids lists the processes. Where some are hidden (hidepid) nobody can be counted: the mount says so, or the init is not listed,
// which a container's own init always is for its own user.
func (p *procfs) pids() (pids []int64, err error) {
	names, err := p.names(".")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if pid, err := strconv.ParseInt(name, 10, 64); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	if len(pids) == 0 || pids[0] != 1 || p.hides() {
		return pids, fmt.Errorf("%s hides processes (hidepid?)", p.root)
	}
	return pids, nil
}

func (p *procfs) names(dir string) ([]string, error) {
	fd, err := unix.Openat(p.dir, dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, p.fail("open", dir, err)
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	if dir != "." { // the root was looked at when it was opened
		if err := cmp.Or(p.onProcfs(fd), notMountedOver(fd)); err != nil {
			return nil, p.fail("trust", dir, err)
		}
	}
	names, err := f.Readdirnames(-1)
	if err == nil && len(names) == 0 {
		err = p.fail("list", dir, errors.New("it is empty"))
	}
	return names, err
}

// between is how long a process is left alone that is about to execute a program, or about to end: for a moment it has no memory
// to look at, and glances bounds how often it is looked at again.
const between, glances = 2 * time.Millisecond, 50

// variable returns a variable of a process's environment, as it was when the process began to execute its program; "" where it
// has none. An error that isEnd: the process has ended. Any other: it may have one.
func (p *procfs) variable(pid int64, name string) (value string, err error) {
	dir := strconv.FormatInt(pid, 10)
	for range glances {
		environ, rerr := p.read(dir + "/environ")
		if len(environ) > 0 {
			return valueIn(environ, name), nil
		}
		if rerr == nil && p.startedWithoutAny(dir, pid) {
			return "", nil
		}
		value, err = p.variableOfThreads(dir, name)
		if err == nil || isEnd(err) || rerr != nil && !isEnd(rerr) {
			return value, err
		}
		time.Sleep(between)
	}
	return "", err
}

// startedWithoutAny tells a process that was started with arguments and without an environment from one that is about to be: the
// kernel writes down the arguments first, and does not sleep in between.
func (p *procfs) startedWithoutAny(dir string, pid int64) bool {
	arguments, err := p.read(dir + "/cmdline")
	if err != nil || len(arguments) == 0 {
		return false
	}
	s, err := p.statOf(pid)
	if err != nil || s.state == stateRunning || s.state == stateWaiting {
		return false
	}
	environ, err := p.read(dir + "/environ")
	return err == nil && len(environ) == 0
}

// variableOfThreads asks the threads of a process whose leader has ended, and has no memory to show any more, or none that its own
// user may look at: the threads have it.
func (p *procfs) variableOfThreads(dir, name string) (string, error) {
	threads, err := p.names(dir + "/task")
	if err != nil {
		return "", err
	}
	odd := error(p.fail("look at", dir, unix.ESRCH)) // every thread has ended
	for _, thread := range threads {
		environ, err := p.read(dir + "/task/" + thread + "/environ")
		switch {
		case err == nil && len(environ) > 0:
			return valueIn(environ, name), nil
		case err != nil && !isEnd(err):
			odd = err
		case !p.threadEnded(dir, thread):
			odd = fmt.Errorf("thread %s has no environment", thread)
		}
	}
	return "", odd
}

// threadEnded reports whether a thread is certain to have ended.
func (p *procfs) threadEnded(dir, thread string) bool {
	id, err := strconv.ParseInt(thread, 10, 64)
	if err != nil {
		return false
	}
	s, err := p.stat(dir+"/task/"+thread, id)
	return isEnd(err) || err == nil && (s.state == stateZombie || s.state == stateDead)
}

// valueIn finds a variable in an environment.
func valueIn(environ []byte, name string) string {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			return string(value)
		}
	}
	return ""
}

// ticksPerSecond is USER_HZ, by which every Linux system that Go runs on counts for its users.
const ticksPerSecond = 100

func (i inspector) Clock() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(now.Nano()) / uint64(time.Second/ticksPerSecond)
}
