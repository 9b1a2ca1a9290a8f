package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"containlease/fsm"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"
)

// answers are what a home says of its only lease, from one place: acquire, list, show and doctor as one.
type answers struct {
	found   *lease.Inspection // nil where there is no lease
	acquire string            // admits, no-identity, or why it does not
}

// askAll asks all four. An error: two of them differ. A process of another test may let nobody look at it for a moment, when one of
// them looks and not when the others do; so they are asked a few times.
func askAll(ctx context.Context, reg *lease.Registry) (a answers, err error) {
	for range 5 {
		if a, err = askAllOnce(ctx, reg); err == nil {
			break
		}
	}
	return a, err
}

func askAllOnce(ctx context.Context, reg *lease.Registry) (a answers, err error) {
	rows, err := reg.Repair(ctx, lease.RepairOptions{})
	if err != nil {
		return a, err
	}
	var listed []lease.Inspection
	for i, err := range reg.List(ctx) {
		if err != nil {
			return a, err
		}
		listed = append(listed, i)
	}
	if len(rows) != len(listed) || len(rows) > 1 {
		return a, fmt.Errorf("doctor finds %d leases, list %d", len(rows), len(listed))
	}
	if len(rows) == 1 {
		a.found = &listed[0]
		shown, err := reg.Inspect(ctx, a.found.ID)
		if err != nil {
			return a, err
		}
		if !same(listed[0], shown) || !same(shown, rows[0].Inspection) {
			return a, fmt.Errorf("list says %+v, show %+v, doctor %+v", listed[0], shown, rows[0].Inspection)
		}
	}
	a.acquire, err = askAcquire(ctx, reg, a.found)
	return a, err
}

// same compares all of two inspections, but whether an empty group is still there: another home's sweep may clear it in between, and
// whoever may not be looked at comes and goes.
func same(a, b lease.Inspection) bool {
	for _, i := range []*lease.Inspection{&a, &b} {
		i.Words = slices.DeleteFunc(slices.Clone(i.Words), func(w string) bool {
			return strings.HasPrefix(w, "boundary cgroup-v2: ") && i.Facts.BoundaryEmpty || strings.HasPrefix(w, "unseen: ")
		})
		i.Life.Unseen = 0
	}
	return reflect.DeepEqual(a, b)
}

// askAcquire acquires, and releases what it gets.
func askAcquire(ctx context.Context, reg *lease.Registry, found *lease.Inspection) (string, error) {
	h, err := reg.Acquire(ctx, identity, "")
	var blocked *lease.BlockedError
	switch {
	case err == nil && (found == nil || found.Block() == ""):
		return "admits", errors.Join(h.Event(ctx, fsm.CleanupComplete), h.Release(ctx))
	case err == nil:
		return "", errors.Join(fmt.Errorf("acquire admits beside %+v", *found), h.Close())
	case errors.Is(err, lease.ErrNoIdentity):
		return "no-identity", nil
	case !errors.As(err, &blocked) || found == nil:
		return "", err
	case !same(*found, blocked.Lease) || found.Block() != blocked.Block:
		return "", fmt.Errorf("acquire says %+v, the others %+v", blocked.Lease, *found)
	}
	return string(blocked.Block), nil
}

// asks is this binary as somebody who asks about HOST_TEST_HOME from where it is, and then has the doctor remove what it may.
func asks() error {
	ctx := context.Background()
	// Where there is no /proc, the mount that a home lies on cannot be told either.
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"), lease.WithHome(file.AllowAnyFilesystem()))
	if err != nil {
		return err
	}
	defer reg.Close()
	a, err := askAll(ctx, reg)
	if err != nil {
		return err
	}
	if a.found == nil {
		return persist.ErrNotExist
	}
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: true})
	if err != nil {
		return err
	}
	fmt.Println(a.found.Verdict.Outcome, a.found.Verdict.Rule, a.acquire, "removed", rows[0].Removed)
	return nil
}
