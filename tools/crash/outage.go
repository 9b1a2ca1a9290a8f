//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// cutPower FILE-SYSTEM IMAGE PROGRAM ROUNDS runs in a mount namespace of its own.
func cutPower(args []string) error {
	rounds, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	mnt, err := scene.Settle(args[1])
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o := outage{stage: stage{ctx: context.Background(), self: self, program: args[2]}, image: args[1], mnt: mnt}
	var broken []string
	for range rounds {
		b, err := o.round()
		if err != nil {
			return err
		}
		broken = append(broken, b...)
	}
	for _, b := range broken {
		fmt.Println("BROKEN:", b)
	}
	fmt.Printf("%s: power cut %d times under load, %d writes acknowledged before, found on disk: %s; %d promises broken\n",
		args[0], rounds, o.acked, states(o.seen), len(broken))
	if o.late > 0 {
		fmt.Printf("%s: the kernel acknowledged %d writes after the cut had begun and lost them\n", args[0], o.late)
	}
	if len(broken) > 0 {
		return errBroken
	}
	return nil
}

type outage struct {
	stage
	image, mnt string
	acked      int // writes acknowledged before the cut
	late       int // leases whose acknowledgement came after the cut had begun, and was not true
	seen       map[fsm.State]int
}

// round is one load, one cut and what is found when the power is back.
func (o *outage) round() (broken []string, err error) {
	if err := scene.Mount(o.image, o.mnt); err != nil {
		return nil, err
	}
	home := filepath.Join(o.mnt, "home")
	told, certain, err := o.load(home, 5+rand.IntN(120))
	if err != nil {
		return nil, errors.Join(err, unix.Unmount(o.mnt, 0))
	}
	if err := errors.Join(unix.Unmount(o.mnt, 0), scene.Mount(o.image, o.mnt)); err != nil {
		return nil, err
	}
	broken, err = o.judge(home, told, certain)
	return broken, errors.Join(err, unix.Unmount(o.mnt, 0))
}

// judge compares what is there with what was told, recovers as after a boot, and runs the next invocation.
func (o *outage) judge(home string, told []byte, certain int) (broken []string, err error) {
	o.acked += bytes.Count(told[:certain], []byte("ack "))
	j, err := readJournal(told, certain)
	if err != nil {
		return nil, err
	}
	seen, broken := j.promises(home)
	if o.seen == nil {
		o.seen = map[fsm.State]int{}
	}
	for _, s := range seen {
		o.seen[s]++
	}
	if all, err := readJournal(told, len(told)); err == nil {
		_, untrue := all.promises(home)
		o.late += len(untrue) - len(broken)
	}
	if err := o.reboot(home); err != nil {
		broken = append(broken, err.Error())
	}
	if left := scene.Leftovers(home); len(left) > 0 {
		broken = append(broken, fmt.Sprintf("after the next invocation there is still %v", left))
	}
	return broken, nil
}

// anotherBoot answers as this machine does after its power came back: evidence is not synced, for it decides only within one
// boot, and a forced shutdown leaves the kernel running.
type anotherBoot struct{ process.Inspector }

var nextBoot = process.Digest("crash-boot", uuid.NewString())

func (anotherBoot) Boot() (string, error) { return nextBoot, nil }

func (b anotherBoot) Self() (process.Process, error) {
	p, err := b.Inspector.Self()
	p.BootID = nextBoot
	return p, err
}

// reboot is what happens in the home after the boot: the doctor, and an invocation.
func (o *outage) reboot(home string) error {
	reg, err := lease.Open(o.ctx, home, lease.WithInspector(anotherBoot{process.New()}))
	if err != nil {
		return err
	}
	defer reg.Close()
	rows, err := reg.Repair(o.ctx, lease.RepairOptions{Apply: true})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !r.Removed {
			return fmt.Errorf("lease %s cannot be recovered: %s, %w", r.ID, r.Verdict.Because, r.Err)
		}
	}
	host, err := hostOf(strconv.Itoa(os.Getpid()))
	if err != nil {
		return err
	}
	return scene.Cycle(o.ctx, reg, plugin, host, func(string, string, fsm.State) {})
}
