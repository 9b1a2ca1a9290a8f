package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// checker knows what lives of every invocation, by descriptors alone and without asking
// containlease: each tree has one connection, inherited by all its processes, and each of these
// sends a pidfd of itself.
type checker struct {
	ln     *net.UnixListener
	mu     sync.Mutex
	trees  map[string]*tree
	moved  chan struct{} // closed, and made anew, whenever something becomes known
	faults []string
	greet  func(*tree) // told of each tree at its first word
}

// tree is one invocation's processes.
type tree struct {
	token   string
	conn    *net.UnixConn
	members map[string]*member
	signals []string // what those got that count
}

// member is one process.
type member struct {
	pidfd int
	news
}

func newChecker(socket string, greet func(*tree)) (*checker, error) {
	ln, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	c := &checker{ln: ln, trees: map[string]*tree{}, moved: make(chan struct{}), greet: greet}
	go c.serve()
	return c, nil
}

func (c *checker) serve() {
	for {
		conn, err := c.ln.AcceptUnix()
		if err != nil {
			return
		}
		go c.follow(&tree{conn: conn, members: map[string]*member{}})
	}
}

// follow reads what a tree tells until its last process has ended.
func (c *checker) follow(t *tree) {
	for {
		b, rights := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
		n, oob, _, _, err := t.conn.ReadMsgUnix(b, rights)
		if err != nil {
			c.change(func() {})
			return
		}
		var w news
		if err := json.Unmarshal(b[:n], &w); err != nil {
			c.change(func() { c.faults = append(c.faults, "the checker cannot read "+string(b[:n])) })
			continue
		}
		first := t.token == ""
		c.change(func() { c.note(t, w, rights[:oob]) })
		if first {
			c.greet(t)
		}
	}
}

// change does something to what is known, and wakes who waits.
func (c *checker) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.moved)
	c.moved = make(chan struct{})
}

func (c *checker) note(t *tree, w news, oob []byte) {
	if t.token == "" {
		t.token = w.Token
		if c.trees[w.Token] != nil {
			c.faults = append(c.faults, "invocation "+w.Token+" is started twice")
		}
		c.trees[w.Token] = t
	}
	if w.Signal != 0 {
		t.signals = append(t.signals, fmt.Sprintf("%s got signal %d", w.Name, w.Signal))
	}
	m := t.members[w.Name]
	if m == nil {
		m = &member{pidfd: -1}
		t.members[w.Name] = m
	}
	m.news = w
	if fd := rightOf(oob); fd >= 0 {
		m.pidfd = fd
	}
}

// rightOf is the descriptor that came with a message; -1 where none did.
func rightOf(oob []byte) int {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) == 0 {
		return -1
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1
	}
	return fds[0]
}

// alive reports whether a process of the tree is alive now: it asks the kernel, and is never
// behind.
func (t *tree) alive() bool {
	if t == nil {
		return false
	}
	raw, err := t.conn.SyscallConn()
	hung := false
	if err == nil {
		err = raw.Control(func(fd uintptr) { hung = ready(int(fd), 0)&unix.POLLHUP != 0 })
	}
	return err == nil && !hung
}

// ready is what poll says of a descriptor.
func ready(fd int, events int16) int16 {
	p := []unix.PollFd{{Fd: int32(fd), Events: events}}
	for {
		_, err := unix.Poll(p, 0)
		if !errors.Is(err, unix.EINTR) {
			return p[0].Revents
		}
	}
}

func (m *member) alive() bool { return ready(m.pidfd, unix.POLLIN) == 0 }

// tree is that of a token; nil where none has been heard of.
func (c *checker) tree(token string) *tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trees[token]
}

// living are copies of those members of a tree that are alive.
func (c *checker) living(t *tree) (out []member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range t.members {
		if m.alive() {
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// await waits until something holds, for at most that long, and looks whenever something becomes
// known; also is another reason to look.
func (c *checker) await(limit time.Duration, also <-chan struct{}, holds func() bool) bool {
	over := time.After(limit)
	for {
		c.mu.Lock()
		moved := c.moved
		c.mu.Unlock()
		if holds() {
			return true
		}
		select {
		case <-moved:
		case <-also:
			return holds()
		case <-over:
			return holds()
		}
	}
}

// end kills what is alive of a tree until its connection is closed.
func (c *checker) end(t *tree) error {
	killed := func() bool {
		for _, m := range c.living(t) {
			_ = unix.PidfdSendSignal(m.pidfd, unix.SIGKILL, nil, 0)
		}
		return !t.alive()
	}
	if !c.await(20*time.Second, nil, killed) {
		return fmt.Errorf("a process of invocation %s holds its connection and does not end", t.token)
	}
	return nil
}

func (c *checker) close() {
	_ = c.ln.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.trees {
		_ = t.conn.Close()
		for _, m := range t.members {
			if m.pidfd >= 0 {
				_ = unix.Close(m.pidfd)
			}
		}
	}
}
