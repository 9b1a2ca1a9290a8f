//go:build !linux

package file

import (
	"context"
	"time"
)

// pollPause is how often a system that reports no changes is taken to have some.
const pollPause = 500 * time.Millisecond

// Notifier is a clock where the system tells nothing; see Touched.
type Notifier struct{}

// Notify begins to watch; the caller closes.
func (h *Home) Notify() (*Notifier, error) { return &Notifier{}, nil }

// Wait waits a moment, or pause where that is less, and says that everything may have changed. An error is ctx's.
func (n *Notifier) Wait(ctx context.Context, pause time.Duration) (Touched, error) {
	return Touched{All: true}, sleep(ctx, min(pause, pollPause))
}

// Close ends the watch.
func (n *Notifier) Close() error { return nil }
