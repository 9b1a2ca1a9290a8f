package host

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"containlease/fsm"
	"containlease/lease"
)

// Scope brings the cleanup of one invocation to its end, for programs that start their own hosts and fire the events
// themselves (Run does without). Whoever starts something that has to be gone at the end registers how: Go for what runs beside
// everything else, Defer for what comes at the end. Close then waits for all of it and records cleanup-complete; the first that
// fails makes the lease cleanup-unsafe at once, with its error as the cause, and the others run all the same.
//
// A cleanup that panics, or ends its goroutine, has failed. All methods are safe for concurrent use.
type Scope struct {
	h *lease.Handle

	mu       sync.Mutex // guards what follows; never held while a cleanup or a write is under way
	closed   bool
	deferred []func(context.Context) error
	running  sync.WaitGroup // those of Go
	failures []error

	unsafe sync.Once
	close  sync.Once
	result error
}

// NewScope returns the scope of h, whose cleanup it decides from now on: nobody else fires cleanupComplete. The caller keeps h
// and releases it after Close.
func NewScope(h *lease.Handle) *Scope { return &Scope{h: h} }

// Go starts cleanup in a goroutine of its own, now. Its context is never cancelled. ErrScopeClosed after Close began: then it
// is not started.
func (s *Scope) Go(cleanup func(context.Context) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrScopeClosed
	}
	s.running.Go(func() { s.attempt(context.Background(), cleanup) })
	return nil
}

// Defer keeps cleanup for Close, which runs the last one first, one at a time. ErrScopeClosed after Close began.
func (s *Scope) Defer(cleanup func(context.Context) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrScopeClosed
	}
	s.deferred = append(s.deferred, cleanup)
	return nil
}

// Close runs what was deferred, waits for everything, and records cleanup-complete if all of it succeeded. The deferred
// cleanups get ctx's values, but neither they nor the wait nor the write ends with ctx: what was begun is cleaned up. nil
// means cleanup-complete. ErrUnsafe, with all causes, where something failed: the lease is cleanup-unsafe, or, where that
// could not be recorded, says less and blocks all the same. Any other error is that of the event, as lease.Handle.Event
// has it. A second Close waits for the first and returns the same.
func (s *Scope) Close(ctx context.Context) error {
	s.close.Do(func() { s.result = s.finish(context.WithoutCancel(ctx)) })
	return s.result
}

func (s *Scope) finish(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	deferred := s.deferred
	s.mu.Unlock()
	for n := len(deferred) - 1; n >= 0; n-- {
		// In a goroutine of its own, so that one that ends its goroutine does not take the others along.
		var one sync.WaitGroup
		one.Go(func() { s.attempt(ctx, deferred[n]) })
		one.Wait()
	}
	s.running.Wait()
	s.mu.Lock()
	failures := s.failures
	s.mu.Unlock()
	if len(failures) > 0 {
		return errors.Join(failures...)
	}
	return record(ctx, s.h, fsm.CleanupComplete)
}

// attempt runs one cleanup and has a failure recorded before it counts as done.
func (s *Scope) attempt(ctx context.Context, cleanup func(context.Context) error) {
	err := errors.New("it ended its goroutine")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			s.failed(ctx, fmt.Errorf("%w: a cleanup failed: %w", ErrUnsafe, err))
		}
	}()
	err = cleanup(ctx)
}

// failed records cleanup-unsafe with the first cause.
func (s *Scope) failed(ctx context.Context, cause error) {
	s.fail(cause)
	s.unsafe.Do(func() {
		if err := record(ctx, s.h, fsm.CleanupUnsafe, cause); err != nil {
			s.fail(err)
		}
	})
}

func (s *Scope) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, err)
}
