package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// way is how a command is typed: when, and beside whom.
type way string

const (
	atOnce   way = "at once"
	toLiving way = "after the numbers of owner and gate have passed to strangers"
	toDead   way = "after all numbers have passed to strangers"
)

// ways are those in which a scene is typed: all, or in short one, another one with each n.
func (sc scenery) ways(short bool, n int) []way {
	all := []way{atOnce, toLiving, toDead}
	switch {
	case !short:
		return all
	case sc.slow:
		return all[2:]
	}
	return all[n%3 : n%3+1]
}

// typing is one scene, typed out in one way.
type typing struct {
	*round
	way       way
	strangers []*bystander
	count     int // of commands
	passed    int // numbers
}

// perform sets a scene, collects what is printed, lets numbers pass on, and types everything as
// printed.
func (s *stage) perform(ctx context.Context, sc scenery, w way, seed uint64) (
	t *typing, err error) {
	r, err := s.newRound(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	t = &typing{round: r, way: w}
	r.tell("scene: %s; typed %s", sc.name, w)
	sc.set(t)
	all := r.collect()
	if len(all) == 0 && !sc.silent {
		r.fault("nothing is printed to be typed")
	}
	if w != atOnce {
		t.passOn(sc.elsewhere && w == toLiving)
	}
	r.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, c := range all {
		t.copy(c)
	}
	t.intact(sc)
	t.dismiss()
	r.end(false)
	return t, r.outcome("-typed -scene '" + sc.name + "'")
}

// patience is how long a command that is typed may wait for what does not come.
const patience = 15 * time.Second

// copy types one command as it is printed.
func (t *typing) copy(command string) {
	cmd := t.placed(exec.CommandContext(t.ctx, "sh", "-c", command))
	cmd.SysProcAttr.Setpgid = true // it is ended as a whole
	a := t.finishedIn(cmd, command, patience)
	t.count++
	switch {
	case placeholder(command) && a.code == 0:
		t.fault("a reason that nobody gave is taken: %s", command)
	case placeholder(command) && !strings.Contains(command, " adopt "):
		t.copy(filled(command)) // by somebody who does not look
	case !placeholder(command) && strings.Contains(a.said, mistyped):
		t.fault("what is printed cannot be typed: %s", command)
	}
	t.check()
	for _, b := range t.strangers {
		if err := b.untouched(); err != nil {
			t.fault("%v, by: %s", err, command)
		}
	}
}

// intact wants owners that are other programs to be alive and unsignalled, and the crowd.
func (t *typing) intact(sc scenery) {
	t.spared()
	if !sc.keeps || t.way != atOnce {
		return
	}
	if v := t.all[0]; v.ended() || strings.Contains(v.said(), "signal ") {
		t.fault("the user's own program was signalled, or has ended: %s", v.said())
	}
}

func (t *typing) dismiss() {
	for _, b := range t.strangers {
		b.dismiss()
	}
}

// typeOut PROGRAMS SEED SCENE SHORT performs that scene, or all.
func typeOut(args []string) (err error) {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	s, err := newStage(ctx, "typed", args[0])
	if s != nil {
		defer func() { err = errors.Join(err, s.close()) }()
	}
	if err != nil {
		return err
	}
	return s.performAll(ctx, args[2], args[3] == "true", seed)
}

// performAll performs every scene, or only that one.
func (s *stage) performAll(ctx context.Context, only string, short bool, seed uint64) error {
	began, scenes, typed, passed, failed := time.Now(), 0, 0, 0, 0
	for i, sc := range s.scenes() {
		for _, w := range sc.ways(short, i+int(seed)) {
			if only != "" && only != sc.name || failed >= enough || ctx.Err() != nil {
				continue
			}
			t, err := s.perform(ctx, sc, w, seed)
			scenes++
			if t != nil {
				typed, passed = typed+t.count, passed+t.passed
			}
			if err != nil {
				failed++
				fmt.Println(err)
			}
		}
	}
	fmt.Printf("typed: %d scenes, %d commands as printed, %d numbers passed to strangers; %s; %s\n",
		scenes, typed, passed, s.limits(), time.Since(began).Round(time.Second))
	if failed > 0 {
		return fmt.Errorf("%d scenes failed", failed)
	}
	return ctx.Err()
}
