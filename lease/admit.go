package lease

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// admit checks that the plugin may start: enabled if it must be, and nothing in its way. The caller holds the catalogue lock
// exclusively.
func (r *Registry) admit(ctx context.Context, h *Handle) error {
	op := h.lease.Identity
	if err := r.checkActive(op, h.wish.enabled); err != nil {
		return err
	}
	keys, err := r.keys(ctx, r.greet)
	if err != nil {
		return err
	}
	if err := r.sweep(ctx, keys, h); err != nil {
		return err
	}
	if err := r.meet(ctx, keys); err != nil {
		return err
	}
	v := r.look()
	for _, key := range keys {
		if plugin, met := r.met[key]; key == h.id || met && plugin != op.PluginID {
			continue
		}
		switch e, err := r.read(ctx, key); {
		case errors.Is(err, persist.ErrNotExist): // released since the listing
		case err != nil:
			return err
		default:
			if err := r.admitBeside(ctx, v, e, op.PluginID, h.wish.exclusive); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepShare bounds what sweeping costs: one sweep, which lists all of owners/, for so many leases and acquire.
const sweepShare = 500

// sweep clears what crashes left: at each acquire in a small home, but only at every n-th beside many leases. Which one is
// the first of a process is left to chance, for many processes acquire only once. Nothing depends on it, so what cannot be
// removed is no more than told, once h's turn is over.
func (r *Registry) sweep(ctx context.Context, keys []string, h *Handle) error {
	if r.unswept < 0 {
		r.unswept = rand.N(1 + len(keys)/sweepShare)
	}
	if r.unswept > 0 {
		r.unswept--
		return nil
	}
	_, err := r.home.Sweep(ctx, keys)
	var left *file.LeftoversError
	if errors.As(err, &left) {
		h.outbox.post(Observation{Kind: Noted, Detail: "what crashes left could not all be swept; remove it by hand", Err: left})
		err = nil
	}
	if err == nil {
		r.unswept = len(keys) / sweepShare
	}
	return err
}

// meet reads the leases that no acquire has met yet, several at a time, for most are other plugins' and no more is asked of
// them. What is no healthy lease stays unmet. It forgets leases that are gone before they outnumber the others.
func (r *Registry) meet(ctx context.Context, keys []string) error {
	if len(r.met) > 2*len(keys) {
		r.met = make(map[string]string, len(keys))
	}
	var strangers []string
	for _, key := range keys {
		if _, met := r.met[key]; !met {
			strangers = append(strangers, key)
		}
	}
	plugins := make([]string, len(strangers))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(strangers)/100) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(strangers)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				plugins[i] = r.pluginOf(ctx, strangers[i])
			}
		})
	}
	readers.Wait()
	for i, plugin := range plugins {
		if plugin != "" {
			r.met[strangers[i]] = plugin
		}
	}
	return ctx.Err()
}

// pluginOf returns the plugin of a healthy lease, else "".
func (r *Registry) pluginOf(ctx context.Context, key string) string {
	e, err := r.read(ctx, key)
	if err != nil {
		return ""
	}
	return pluginIn(e)
}

func pluginIn(e persist.Entry) string {
	l, err := decode(e)
	if err != nil {
		return ""
	}
	return strings.Clone(l.Operation().PluginID) // and not the whole content, which it is a part of
}

// keys names all records. A store that can only list them shows their content at once: then see is given each.
func (r *Registry) keys(ctx context.Context, see func(persist.Entry)) ([]string, error) {
	if s, ok := r.store.(persist.Lister); ok {
		return s.Keys(ctx)
	}
	var keys []string
	for e, err := range r.store.List(ctx) {
		if err != nil {
			return nil, err
		}
		var bad *persist.RecordError
		if errors.As(e.Err, &bad) && bad.Kind == persist.ForeignName {
			continue
		}
		keys = append(keys, e.Key)
		see(e)
	}
	return keys, nil
}

// greet meets a lease whose content is at hand.
func (r *Registry) greet(e persist.Entry) {
	if plugin := pluginIn(e); plugin != "" {
		r.met[e.Key] = plugin
	}
}

// admitBeside judges one record in the way. Only malformed ones block a plugin that is not their own.
func (r *Registry) admitBeside(ctx context.Context, v view, e persist.Entry, plugin string, exclusive bool) error {
	i, there := r.examine(ctx, v, e, r.home.Probe)
	if !there || i.Foreign || i.Plugin != "" && i.Plugin != plugin {
		return nil
	}
	block := i.Block()
	if block == verdict.Admitted && i.Verdict.Outcome == verdict.Active && (exclusive || i.Evidence != nil && i.Evidence.Exclusive) {
		block = verdict.BlockedExclusive
	}
	if block == verdict.Admitted {
		return nil
	}
	return &BlockedError{Plugin: plugin, Lease: i, Block: block}
}
