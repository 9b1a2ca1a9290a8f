package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"containlease/lease/process"

	"github.com/stretchr/testify/require"
)

// scene is one run of the crasher, led from point to point.
type scene struct {
	t      *testing.T
	stage  *stage
	owner  *exec.Cmd
	life   *lifeline
	people map[string]person // everybody who was met
}

// person is a process held on to: its number is its own as long as it is not reaped.
type person struct {
	*process.Pidfd
	pid int
}

func newScene(t *testing.T, crasher string, args ...string) *scene {
	t.Helper()
	s := &scene{t: t, stage: newStage(t), life: newLifeline(t), people: map[string]person{}}
	s.owner = exec.Command(crasher, args...)
	s.owner.Env = append(os.Environ(), "CONTAINLEASE_FAULT_SOCKET="+s.stage.path)
	s.owner.Stderr = os.Stderr
	s.life.give(s.owner)
	require.NoError(t, s.owner.Start())
	t.Cleanup(s.clear)
	return s
}

// clear ends whoever is left of the scene, on the way out of a failure.
func (s *scene) clear() {
	_ = s.owner.Process.Kill()
	_ = s.owner.Wait()
	for _, p := range s.people {
		_ = p.Signal(syscall.SIGKILL)
		_ = p.Close()
	}
}

// lead lets everybody on, one moment after the other, until the last of moments is reached and waits.
func (s *scene) lead(moments []moment) {
	s.t.Helper()
	for i, m := range moments {
		if held := holds[m.point]; held != "" {
			s.stage.await(held)
		}
		a := s.stage.await(m.point)
		s.meet(m.who, a.pid)
		switch m.point {
		case "the gate starts":
			s.meet("gate", onlyChildOf(s.t, a.pid))
		case runs.point:
			s.meet("child", s.stage.await("the child stays").pid)
		}
		switch {
		case i == len(moments)-1:
		case m.kills != "":
			s.kill(m.kills)
		default:
			a.letOn()
		}
		if m.point == "the front ends" && i < len(moments)-1 {
			s.wait("front")
		}
	}
}

func (s *scene) meet(who string, pid int) {
	s.t.Helper()
	if !s.met(who) {
		p, err := process.OpenPidfd(int64(pid))
		require.NoError(s.t, err)
		s.people[who] = person{p, pid}
	}
}

func (s *scene) met(who string) bool { _, yes := s.people[who]; return yes }

// strike kills one, or owner, front, gate and plugin at once: all of them are stopped before the first is killed, so that nobody sees another's end.
func (s *scene) strike(victim string) {
	s.t.Helper()
	if victim != "all" {
		s.kill(victim)
		return
	}
	victims := []string{"plugin", "gate", "front", "owner"} // the plugin would end with its gate
	victims = slices.DeleteFunc(victims, func(who string) bool { return !s.met(who) || s.dead(who) })
	for _, who := range victims {
		require.NoError(s.t, s.people[who].Signal(syscall.SIGSTOP))
		require.Eventually(s.t, func() bool { return s.stopped(who) }, patience, time.Millisecond)
	}
	for _, who := range victims {
		s.kill(who)
	}
}

// kill returns once the victim is dead.
func (s *scene) kill(who string) {
	s.t.Helper()
	require.NoError(s.t, s.people[who].Signal(syscall.SIGKILL))
	s.wait(who)
}

func (s *scene) wait(who string) {
	s.t.Helper()
	if who == "owner" {
		_ = s.owner.Wait()
	}
	require.NoError(s.t, s.people[who].Wait(s.t.Context()))
}

// buried reports whether nothing is left of somebody, not even a zombie. An orphan is ours to reap, who has a parent is not.
func (s *scene) buried(who string) bool {
	_ = s.people[who].Reap()
	return !alive(s.people[who].pid)
}

func (s *scene) dead(who string) bool {
	s.t.Helper()
	exited, err := s.people[who].Exited()
	require.NoError(s.t, err)
	return exited
}

// stopped reports whether every thread of somebody is stopped.
func (s *scene) stopped(who string) bool {
	pid := strconv.Itoa(s.people[who].pid)
	files, _ := filepath.Glob("/proc/" + pid + "/task/*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !strings.HasPrefix(string(b[strings.LastIndexByte(string(b), ')')+1:]), " T") {
			return false
		}
	}
	return len(files) > 0
}

// settle lets whoever is left go on, and returns once nobody but the child can be alive. It reports whether the child is.
func (s *scene) settle() (survivor bool) {
	s.t.Helper()
	s.stage.free()
	s.wait("owner")
	for _, who := range []string{"front", "gate", "plugin"} { // no gate lives without end, and neither front nor plugin without its gate
		if s.met(who) {
			s.wait(who)
			require.Eventually(s.t, func() bool { return s.buried(who) }, patience, time.Millisecond, "nobody reaps %s", who)
		}
	}
	if !s.met("child") || s.dead("child") {
		s.life.requireCut()
		return false
	}
	s.life.requireWhole()
	return true
}

func onlyChildOf(t *testing.T, pid int) int {
	t.Helper()
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	require.NoError(t, err)
	var pids []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		pids = append(pids, strings.Fields(string(b))...)
	}
	require.Len(t, pids, 1)
	n, err := strconv.Atoi(pids[0])
	require.NoError(t, err)
	return n
}
