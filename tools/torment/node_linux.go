package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"containlease/lease"
	"containlease/lease/cgroup"

	"golang.org/x/sys/unix"
)

// init keeps main on the leader thread, which a process of a tree may have to end.
func init() {
	if len(os.Args) > 1 && (os.Args[1] == "plugin" || os.Args[1] == "node") {
		runtime.LockOSThread()
	}
}

// news is what a process tells the checker, before it does what it tells.
type news struct {
	Token  string `json:"token"` // of the invocation
	Name   string `json:"name"`
	Bare   bool   `json:"bare"`   // nothing of the mark can be seen in its environment
	Left   bool   `json:"left"`   // it is not in the invocation's control group
	Signal int    `json:"signal"` // it got this one
}

// node is one process of a tree, from inside. conn is the same in all of them: while one has it,
// the checker sees no end of file.
type node struct {
	conn int
	self string // the program
	shape
	told news
}

// plugin SOCKET TOKEN SHAPE is the first process of a tree: it connects to the checker.
func plugin(args []string) error {
	s, err := shapeOf(args[2])
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: args[0]}); err != nil {
		return os.NewSyscallError("connect", err)
	}
	if s.Bare {
		argv := []string{os.Args[0], "node", strconv.Itoa(fd), args[1], args[2]}
		return os.NewSyscallError("execve", unix.Exec(os.Args[0], argv, nil))
	}
	return born(fd, args[1], s)
}

// child DESCRIPTOR TOKEN SHAPE is any other process of a tree.
func child(args []string) error {
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	s, err := shapeOf(args[2])
	if err != nil {
		return err
	}
	return born(fd, args[1], s)
}

func born(fd int, token string, s shape) error {
	// Go's arguments are the memory that a title overwrites.
	n := &node{conn: fd, self: strings.Clone(os.Args[0]), shape: s}
	n.told = news{Token: strings.Clone(token), Name: s.Name}
	n.told.Bare, n.told.Left = os.Getenv(lease.Mark) == "", !enclosed()
	if s.Hop {
		n.told.Name += "^"
	}
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	if err := n.tell(unix.UnixRights(self)); err != nil {
		return err
	}
	_ = unix.Close(self)
	if !s.Leaderless || s.Hop {
		return n.live()
	}
	go func() { end("node", n.live()) }()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // this thread's, not exit_group
	return nil
}

// tell has the checker know, and does not wait for it to read.
func (n *node) tell(rights []byte) error {
	b, err := json.Marshal(n.told)
	if err != nil {
		return err
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(n.conn, b, rights, nil, unix.MSG_NOSIGNAL))
}

// live does what the shape says, and ends, or stays.
func (n *node) live() error {
	if n.Hop {
		next := n.shape
		next.Hop = false
		return n.fork(next)
	}
	if n.Deaf {
		signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	}
	if n.Counts {
		go n.count()
	}
	if err := errors.Join(n.leave(), n.retitle()); err != nil {
		return err
	}
	for _, k := range n.Kids {
		if err := n.fork(k); err != nil {
			return err
		}
	}
	if n.Stops {
		if err := unix.Kill(os.Getpid(), unix.SIGSTOP); err != nil {
			return os.NewSyscallError("kill", err)
		}
	}
	if n.Life == 0 {
		n.Life = time.Duration(1<<63 - 1)
	}
	time.Sleep(n.Life)
	return nil
}

// fork starts a process of the tree. Nobody waits for it: this process or the gate gets a zombie.
func (n *node) fork(k shape) error {
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2, uintptr(n.conn)},
		Sys: &syscall.SysProcAttr{Setsid: k.Hop || k.Session}}
	if k.Bare && !k.Hop {
		attr.Env = []string{}
	}
	argv := []string{n.self, "node", "3", n.told.Token, k.word()}
	if _, err := syscall.ForkExec(n.self, argv, attr); err != nil {
		return fmt.Errorf("forking %s: %w", k.Name, err)
	}
	return nil
}

// count tells of every signal that can be caught, but for what a child's end and Go's run-time
// send.
func (n *node) count() {
	got := make(chan os.Signal, 64)
	notice(got, unix.SIGCHLD, unix.SIGURG)
	for s := range got {
		n.told.Signal = int(s.(syscall.Signal))
		_ = n.tell(nil)
	}
}

// enclosed reports whether this process is in a control group of an invocation.
func enclosed() bool {
	own, err := cgroup.Own()
	return err == nil && strings.HasPrefix(filepath.Base(own), cgroup.Prefix)
}

// leave moves this process out of the invocation's control group, if it is in one.
func (n *node) leave() error {
	if !n.Leaves || n.told.Left {
		return nil
	}
	own, err := cgroup.Own()
	if err != nil {
		return err
	}
	n.told.Left = true
	if err := n.tell(nil); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(filepath.Dir(own), "cgroup.procs"), []byte("0"), 0)
}
