package host

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// end lets the gate see the end of its owner, waits, and kills it if it does not go. nil: it is proved to have ended.
func (g *gateProcess) end(wait time.Duration) error {
	g.conn.Close()
	err := g.await(wait)
	if err != nil {
		_ = g.kill() // only ever the gate itself: as our child it is not reaped, or Kill knows that it is
		err = g.await(reapWait)
	}
	if err != nil {
		return fmt.Errorf("it does not die: %w", err)
	}
	g.passedOn()
	return nil
}

// await waits for the end of the gate, at most for limit. Either of two is the proof: its pidfd says so, or it was reaped. The
// error tells why neither came.
func (g *gateProcess) await(limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errors.New("it goes on"))
	defer cancel()
	answers := make(chan error, 2)
	// Neither of them here: who is answered "again" for ever does not come back.
	go func() {
		select {
		case <-g.dead:
			answers <- g.lost
		case <-ctx.Done():
			answers <- context.Cause(ctx)
		}
	}()
	go func() {
		if g.pidfd == nil {
			answers <- errors.New("it was never identified")
			return
		}
		answers <- g.pidfd.Wait(ctx)
	}()
	var failed error
	for range 2 {
		select {
		case err := <-answers:
			if err == nil {
				g.over.Store(true)
				return nil
			}
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return errors.Join(failed, context.Cause(ctx))
		}
	}
	return failed
}

// ended reports whether the gate is proved to have ended.
func (g *gateProcess) ended() bool {
	select {
	case <-g.dead:
		return g.lost == nil || g.over.Load()
	default:
		return g.over.Load()
	}
}

// passedOn waits until the output of a gate that has ended is passed on, or nobody waits for the rest of it any more.
func (g *gateProcess) passedOn() {
	select {
	case <-g.dead:
	case <-time.After(reapWait):
	}
}
