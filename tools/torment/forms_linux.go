package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

// form is who torments, and where.
type form struct {
	name  string
	share int // of ten rounds
	shape func(*exec.Cmd)
	root  bool // only root can take it
}

// nobody is the ordinary user's number.
const nobody = 65534

var forms = []form{
	{"plain", 5, func(*exec.Cmd) {}, false},
	{"user", 3, func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}, true},
	{"namespace", 2, func(c *exec.Cmd) {
		c.Args = append([]string{c.Args[0], "init"}, c.Args...)
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	}, true},
}

func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// torment plays the rounds of every form that is asked for, each in a process of its own.
func torment(ctx context.Context, o order) (err error) {
	dir, err := os.MkdirTemp("", "torment-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := o.furnish(ctx, dir); err != nil {
		return err
	}
	var errs []error
	for _, f := range forms {
		if o.form != "" && f.name != o.form || o.rounds == 0 {
			continue
		}
		if f.root && os.Geteuid() != 0 {
			errs = append(errs, scene.Skip("form "+f.name, errors.New("it wants root")))
			continue
		}
		errs = append(errs, o.as(ctx, f, dir))
	}
	return errors.Join(append(errs, o.typeAll(ctx, dir))...)
}

// typeAll types what is printed, where numbers can be given to strangers without harm: in a PID
// namespace of its own.
func (o order) typeAll(ctx context.Context, programs string) error {
	if !o.typed {
		return nil
	}
	if os.Geteuid() != 0 {
		return scene.Skip("what is printed is not typed", errors.New("only root can give away numbers"))
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == "namespace" })
	return o.apart(ctx, forms[i], programs, "type", programs, strconv.FormatUint(o.seed, 10),
		o.scene, strconv.FormatBool(o.short))
}

// furnish puts the programs into dir, where every user can execute them.
func (o order) furnish(ctx context.Context, dir string) error {
	if o.programs == "" {
		o.programs = dir
		for _, p := range []string{"containlease", "torment"} {
			to := filepath.Join(dir, p)
			build := exec.CommandContext(ctx, "go", "build", "-o", to, "containlease/tools/"+p)
			if out, err := build.CombinedOutput(); err != nil {
				return fmt.Errorf("building %s: %w\n%s", p, err, out)
			}
		}
	}
	err := os.Chmod(dir, 0o755)
	for name, from := range map[string]string{
		"containlease": "containlease", "torment": "torment", "bystanding": "torment"} {
		to := filepath.Join(dir, name)
		if _, there := os.Stat(to); there == nil {
			continue
		}
		b, e := os.ReadFile(filepath.Join(o.programs, from))
		err = errors.Join(err, e, os.WriteFile(to, b, 0o755))
	}
	return err
}

// as plays a form's share, of the rounds and of the time.
func (o order) as(ctx context.Context, f form, programs string) error {
	n, within := o.rounds, o.within
	if o.form == "" {
		n, within = max(1, n*f.share/10), within*time.Duration(f.share)/10
	}
	return o.apart(ctx, f, programs, "act", f.name, programs, strconv.Itoa(n),
		strconv.FormatUint(o.seed, 10), strconv.Itoa(o.workers), within.String())
}

// apart is this program as a child, shaped so.
func (o order) apart(ctx context.Context, f form, programs string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "torment"), args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	f.shape(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s: %w", errFaults, f.name, err)
	}
	return nil
}

// enough is how many failing rounds are told.
const enough = 5

// act FORM PROGRAMS ROUNDS SEED WORKERS WITHIN plays rounds.
func act(args []string) (err error) {
	rounds, err1 := strconv.Atoi(args[2])
	seed, err2 := strconv.ParseUint(args[3], 10, 64)
	workers, err3 := strconv.Atoi(args[4])
	within, err4 := time.ParseDuration(args[5])
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	s, err := newStage(ctx, args[0], args[1])
	if s != nil {
		defer func() { err = errors.Join(err, s.close()) }()
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return s.playAll(ctx, int64(rounds), workers, seed)
}

// playAll plays so many rounds, as many at a time as there are workers, unless too many fail. What
// there is no time for is left out, and said.
func (s *stage) playAll(ctx context.Context, rounds int64, workers int, seed uint64) error {
	began := time.Now()
	var next, failed atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for failed.Load() < enough && ctx.Err() == nil {
				n := next.Add(1)
				if n > rounds {
					return
				}
				if err := s.play(ctx, seed+uint64(n)-1); err != nil {
					failed.Add(1)
					fmt.Println(err)
				}
			}
		})
	}
	all.Wait()
	fmt.Printf("%s; %s\n", s.sum(), time.Since(began).Round(time.Second))
	switch n := failed.Load(); {
	case n > 0:
		return fmt.Errorf("%d rounds failed", n)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fmt.Printf("%s: there was no time for %d rounds of %d\n", s.form, rounds-s.rounds.Load(), rounds)
		return nil
	}
	return ctx.Err()
}
