//go:build faultpoints

package main

import (
	"context"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/lease/host"
	"containlease/persist"
	"containlease/persist/file"
)

// store stops at every step of every write, and names it by the event whose write it is.
type store struct{ *file.Store }

// events are the events by the state that their writes leave on the disk.
var events = map[leasefile.ContainmentStatus]string{
	leasefile.ContainmentStatusParentOwned:     "acquire",
	leasefile.ContainmentStatusHostStarting:    "hostStarting",
	leasefile.ContainmentStatusHostActive:      "hostStarted",
	leasefile.ContainmentStatusCleanupComplete: "cleanupComplete",
	leasefile.ContainmentStatusCleanupUnsafe:   "cleanupUnsafe",
}

func (s store) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	l, err := leasefile.DecodeFileNamed(key+".json", content)
	if err != nil {
		return nil, fmt.Errorf("what is no lease: %w", err)
	}
	w, err := s.Store.Stage(ctx, key, content)
	if err != nil {
		return nil, err
	}
	event := events[l.(*leasefile.LeaseV2).Containment.Status]
	host.FaultPoint(event + ": staged")
	return &write{w, event}, nil
}

func (s store) Remove(ctx context.Context, key string, old persist.Digest) (persist.Write, error) {
	w, err := s.Store.Remove(ctx, key, old)
	return (&write{w, "release"}).published(err)
}

type write struct {
	persist.Write
	event string
}

// Create is called under the catalogue lock, after admission, with the liveness lock taken and the evidence beside it.
func (w *write) Create(ctx context.Context) error {
	host.FaultPoint(w.event + ": claimed")
	_, err := w.published(w.Write.Create(ctx))
	return err
}

func (w *write) Replace(ctx context.Context, old persist.Digest) error {
	_, err := w.published(w.Write.Replace(ctx, old))
	return err
}

func (w *write) Settle(ctx context.Context) error {
	if err := w.Write.Settle(ctx); err != nil {
		return err
	}
	host.FaultPoint(w.event + ": settled")
	return nil
}

func (w *write) published(err error) (persist.Write, error) {
	if err == nil {
		host.FaultPoint(w.event + ": published")
	}
	return w, err
}
