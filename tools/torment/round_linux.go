package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"containlease/lease/cgroup"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// round is one home, a few invocations in it, what is done to them and what is typed.
type round struct {
	*stage
	ctx     context.Context
	r       *rand.Rand // for the choices, which one goroutine makes
	home    string
	group   *cgroup.Group // its own; nil where there is none
	checker *checker
	all     []*invocation
	healthy *invocation // of another plugin; nil where there is none

	mu     sync.Mutex
	start  time.Time
	story  []string
	faults []string
	judged map[string]bool // leases whose removal was looked into
}

// play is the round of a seed. The error tells the whole story.
func (s *stage) play(ctx context.Context, seed uint64) (err error) {
	r, err := s.newRound(ctx, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.act()
	r.end(true)
	s.rounds.Add(1)
	return r.outcome(fmt.Sprintf("-form %s -rounds 1 -seed %d", s.form, seed))
}

// newRound is an empty place for a round.
func (s *stage) newRound(ctx context.Context, seed uint64) (r *round, err error) {
	r = &round{stage: s, ctx: context.WithoutCancel(ctx), r: rand.New(rand.NewPCG(seed, 0)),
		start: time.Now(), judged: map[string]bool{}}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	r.home = filepath.Join(dir, "home")
	if r.checker, err = newChecker(filepath.Join(dir, "socket"), r.greet); err != nil {
		return nil, err
	}
	return r, r.enclose()
}

func (r *round) close() error {
	r.checker.close()
	return os.RemoveAll(filepath.Dir(r.home))
}

// outcome is nil, or tells everything.
func (r *round) outcome(replay string) error {
	story := strings.Join(r.story, "\n  ")
	if len(r.faults) > 0 {
		faults := strings.Join(r.faults, "\n")
		return fmt.Errorf("%s\n  replay: torment %s\n  %s", faults, replay, story)
	}
	if r.told {
		fmt.Printf("%s\n  %s\n", replay, story)
	}
	return nil
}

// enclose makes the round's own control group.
func (r *round) enclose() (err error) {
	if r.stage.group == nil {
		return nil
	}
	r.group, err = cgroup.Make(r.stage.group.Place().Path, filepath.Base(filepath.Dir(r.home)))
	return err
}

// tell adds a line to the story, and fault one that fails the round.
func (r *round) tell(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Since(r.start).Round(time.Millisecond / 10)
	text := strings.TrimSpace(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n      "))
	r.story = append(r.story, fmt.Sprintf("%8s  %s", at, text))
}

func (r *round) fault(format string, args ...any) {
	r.tell("FAULT: "+format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// must notes what went wrong with the torment itself.
func (r *round) must(err error) {
	if err != nil {
		r.fault("the torment failed: %v", err)
	}
}

// command is containlease in this round's control group.
func (r *round) command(args ...string) *exec.Cmd {
	return r.placed(r.bare(r.ctx, append([]string{"--home", r.home}, args...)...))
}

func (r *round) placed(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if r.group != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, r.group.FD()
	}
	return cmd
}

// run begins one invocation; more are flags of run.
func (r *round) run(program, boundary string, tree shape, more ...string) *invocation {
	v := r.planned(boundary, tree)
	flags := append([]string{"run", "--run-id", v.runID}, append(boundaryFlags(boundary), more...)...)
	v.cmd = r.command(append(append(flags, "--", program), r.plugs(v)...)...)
	if program == r.self {
		v.beside = r.ownerless()
	}
	r.begin(v, "containlease "+strings.Join(flags, " "))
	return v
}

// plugs are the arguments with which our program is an invocation's plugin.
func (r *round) plugs(v *invocation) []string {
	return []string{"plugin", r.checker.ln.Addr().String(), v.runID, v.shape.word()}
}

// ownerless are the invocations whose owners have ended.
func (r *round) ownerless() (all []*invocation) {
	for _, v := range r.all {
		if v.ended() {
			all = append(all, v)
		}
	}
	return all
}

// planned is an invocation that is not begun yet.
func (r *round) planned(boundary string, tree shape) *invocation {
	id, err := uuid.NewRandomFromReader(dice{r.r})
	r.must(err)
	return &invocation{runID: id.String(), boundary: boundary, shape: tree, done: make(chan struct{})}
}

// begin starts the owner of an invocation.
func (r *round) begin(v *invocation, words string) {
	var err error
	v.out, err = os.Create(filepath.Join(filepath.Dir(r.home), v.runID))
	r.must(err)
	v.cmd.Stdout, v.cmd.Stderr = v.out, v.out
	r.mu.Lock()
	r.all = append(r.all, v)
	r.mu.Unlock()
	r.runs.Add(1)
	r.must(v.begin())
	r.tell("typed: %s, pid %d, tree %s", words, v.cmd.Process.Pid, v.shape.word())
}

// dice are random bytes of the seed.
type dice struct{ *rand.Rand }

func (d dice) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return len(b), nil
}

// grownUp waits until every process of the tree has been heard of, or will not be any more.
func (r *round) grownUp(v *invocation) {
	r.checker.await(3*time.Second, v.done, func() bool {
		t := r.checker.tree(v.runID)
		return t != nil && (!t.alive() || r.known(v))
	})
	r.tell("the tree of %s: %s", v.runID[:4], r.census(v))
}

// known reports whether every process of the tree has been heard of.
func (r *round) known(v *invocation) bool {
	t := r.checker.tree(v.runID)
	if t == nil {
		return false
	}
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	for _, n := range v.shape.names() {
		if t.members[n] == nil {
			return false
		}
	}
	return true
}

// census are the living processes of an invocation, in words.
func (r *round) census(v *invocation) string {
	t := r.checker.tree(v.runID)
	if !t.alive() {
		return "nobody lives"
	}
	var out []string
	for _, m := range r.checker.living(t) {
		word := fmt.Sprintf("%s (pid %d", m.Name, pidOf(m.pidfd))
		if m.Bare {
			word += ", bare"
		}
		if m.Left {
			word += ", left"
		}
		out = append(out, word+")")
	}
	return "alive: " + strings.Join(out, " ")
}

// signals that an attack may use, for owner and gate.
var signals = []syscall.Signal{
	unix.SIGKILL, unix.SIGKILL, unix.SIGKILL, unix.SIGSTOP, unix.SIGCONT, unix.SIGTERM,
}
