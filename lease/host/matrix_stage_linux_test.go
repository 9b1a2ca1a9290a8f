package host_test

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// stage is the socket at which everybody in a scene waits to be let on.
type stage struct {
	t    *testing.T
	path string

	mu      sync.Mutex
	waiting map[string]arrival
	seen    map[string]bool // every point that anybody ever reached
	freed   bool
	came    chan struct{} // a token for each arrival
}

// arrival is a process that waits at a point, as the kernel names it.
type arrival struct {
	conn *net.UnixConn
	pid  int
}

func (a arrival) letOn() { _ = a.conn.Close() }

// stayers are points that nobody is let on from, even when the rest is: the plugin and its child do not end by themselves.
var stayers = map[string]bool{runs.point: true, "the child stays": true}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "stage") // the name of a socket is bounded
	require.NoError(t, err)
	s := &stage{t: t, path: filepath.Join(dir, "s"), waiting: map[string]arrival{}, seen: map[string]bool{}, came: make(chan struct{}, 64)}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	require.NoError(t, err)
	var served sync.WaitGroup
	served.Go(func() { s.serve(l) })
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		served.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, a := range s.waiting {
			a.letOn()
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	return s
}

// serve takes everybody in until the socket is closed.
func (s *stage) serve(l *net.UnixListener) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return
		}
		point, err := bufio.NewReader(c).ReadString('\n')
		pid := peer(c)
		if err != nil || pid == 0 {
			_ = c.Close() // it was killed on its way
			continue
		}
		s.arrive(strings.TrimSpace(point), arrival{c, pid})
	}
}

func (s *stage) arrive(point string, a arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[point] = true
	if s.freed && !stayers[point] {
		a.letOn()
		return
	}
	s.waiting[point] = a
	select {
	case s.came <- struct{}{}:
	default:
	}
}

// await returns whoever reaches the point.
func (s *stage) await(point string) arrival {
	s.t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		a, here := s.waiting[point]
		s.mu.Unlock()
		if here {
			return a
		}
		select {
		case <-s.came:
		case <-late:
			require.FailNow(s.t, "nobody reached: "+point)
		}
	}
}

// saw reports whether anybody ever reached the point.
func (s *stage) saw(point string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[point]
}

// free lets everybody on who can go on, from now on at every point.
func (s *stage) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freed = true
	for point, a := range s.waiting {
		if !stayers[point] {
			a.letOn()
			delete(s.waiting, point)
		}
	}
}

// peer is the pid of the other end, in our namespace; 0 where it has none.
func peer(c *net.UnixConn) (pid int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}
