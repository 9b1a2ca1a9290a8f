package etcd

import (
	"context"
	"math/rand/v2"
	"time"
)

// Pauses between repeats: long enough for an election not to be a flood, short enough not to add to it.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// patience is the time that one operation has for its repeats.
type patience struct {
	ctx   context.Context
	try   time.Duration
	pause time.Duration
}

// patient bounds an operation. Call the function when it is over.
func (c *conn) patient(ctx context.Context) (*patience, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	return &patience{ctx: ctx, try: c.try, pause: firstPause}, cancel
}

// once runs one request in its own time.
func (p *patience) once(request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(p.ctx, p.try)
	defer cancel()
	return request(ctx)
}

// wait pauses, longer each time. false: the time is over.
func (p *patience) wait() bool {
	pause := p.pause/2 + rand.N(p.pause)
	p.pause = min(2*p.pause, longestPause)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// ask repeats a request until it is answered or refused. Only for what may be carried out more than once.
func (c *conn) ask(ctx context.Context, request func(context.Context) error) error {
	p, done := c.patient(ctx)
	defer done()
	for {
		err := p.once(request)
		if err == nil || definite(err) || !p.wait() {
			return c.explained(err)
		}
	}
}
