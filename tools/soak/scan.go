//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/tools/internal/scene"
)

// stable is how many leases exist all the time while they move without a pause.
const stable = 24

// scan lists a home in which every lease is being replaced by three writers until so many leases have been read. None may be
// missed, and none may be called anything but a lease.
func scan(ctx context.Context, home string, reads int) error {
	reg, err := lease.Open(ctx, home)
	if err != nil {
		return err
	}
	defer reg.Close()
	leave, err := scene.Fill(home, stable)
	if err != nil {
		return err
	}
	defer leave()
	writer, err := file.Open(home)
	if err != nil {
		return err
	}
	defer writer.Close()
	start := time.Now()
	var moves atomic.Int64
	lists := 0
	err = besideWriters(ctx, writer, &moves, func(ctx context.Context) (err error) {
		lists, err = scanAll(ctx, reg, writer, reads)
		return err
	})
	if err != nil {
		return fmt.Errorf("scanning beside transitions: %w", err)
	}
	fmt.Printf("%d reads in %d listings of %s beside %d transitions in %s: none missed, none called malformed\n",
		lists*stable, lists, scene.FileSystem(filepath.Dir(home)), moves.Load(), time.Since(start).Round(time.Second))
	return nil
}

// besideWriters runs do while three goroutines replace all leases of the home, each its own third.
func besideWriters(ctx context.Context, writer *file.Home, moves *atomic.Int64, do func(context.Context) error) error {
	entries, err := entriesOf(ctx, writer)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	var failed [3]error // one for each writer
	for part := range failed {
		all.Go(func() {
			if err := move(ctx, writer, entries[part*stable/3:(part+1)*stable/3], moves); err != nil && ctx.Err() == nil {
				failed[part] = err
			}
		})
	}
	err = do(ctx)
	cancel()
	all.Wait()
	return errors.Join(err, errors.Join(failed[:]...))
}

// entriesOf lists a home in which everything is healthy.
func entriesOf(ctx context.Context, home *file.Home) (entries []persist.Entry, err error) {
	for e, err := range home.Store().List(ctx) {
		if err = errors.Join(err, e.Err); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// judged: one listing in so many is the registry's, which asks about processes too; the others only read and decode.
const judged = 10

func scanAll(ctx context.Context, reg *lease.Registry, home *file.Home, reads int) (lists int, err error) {
	for ; lists*stable < reads; lists++ {
		found, err := 0, error(nil)
		if lists%judged == 0 {
			for i, lerr := range reg.List(ctx) {
				err = errors.Join(err, lerr, i.Problem)
				found++
			}
		} else {
			found, err = readHome(ctx, home)
		}
		if err != nil {
			return lists, fmt.Errorf("listing %d calls healthy leases bad: %w", lists, err)
		}
		if found != stable {
			return lists, fmt.Errorf("listing %d finds %d of %d leases", lists, found, stable)
		}
	}
	return lists, nil
}

// readHome reads and decodes all leases; their names are collected under the catalogue lock, as the registry does it.
func readHome(ctx context.Context, home *file.Home) (found int, err error) {
	lock, err := home.Lock(ctx, file.Exclusive, nil)
	if err != nil {
		return 0, err
	}
	keys, err := home.Store().Keys(ctx)
	if err = errors.Join(err, lock.Unlock()); err != nil {
		return 0, err
	}
	for _, key := range keys {
		e, err := home.Store().Read(ctx, key)
		if err != nil {
			return found, err
		}
		if _, err := leasefile.DecodeFileNamed(key+".json", e.Content); err != nil {
			return found, err
		}
		found++
	}
	return found, nil
}

// move replaces the leases in turns, each time with its state the other way round, as a handle would.
func move(ctx context.Context, home *file.Home, entries []persist.Entry, moves *atomic.Int64) error {
	under := func(publish func() error) error {
		lock, err := home.Lock(ctx, file.Shared, nil)
		if err != nil {
			return err
		}
		return errors.Join(publish(), lock.Unlock())
	}
	now := make([][]byte, len(entries))
	for i, e := range entries {
		now[i] = e.Content
	}
	for n := 0; ctx.Err() == nil; n++ {
		i := n % len(entries)
		decoded, err := leasefile.DecodeFile(now[i])
		if err != nil {
			return err
		}
		l := *decoded.(*leasefile.LeaseV2)
		if l.Containment.Status == leasefile.ContainmentStatusHostActive {
			l.Containment.Status = leasefile.ContainmentStatusHostStarting
		} else {
			l.Containment.Status = leasefile.ContainmentStatusHostActive
		}
		next := l.AppendCanonical(nil)
		a := persist.Attempt{Key: l.LeaseID, Op: persist.Replace, Old: persist.DigestOf(now[i]), Next: next}
		if err := a.Do(ctx, home.Store(), under); err != nil {
			return err
		}
		now[i] = next
		moves.Add(1)
	}
	return nil
}
