package lease

import (
	"context"
	"log/slog"
	"time"

	"containlease/lease/cgroup"
	"containlease/lease/process"
	"containlease/persist/file"
)

// Option changes how a Registry works. The zero set is right for production.
type Option func(*options)

type options struct {
	inspector process.Inspector
	clock     func() time.Time
	log       *slog.Logger
	observer  Observer
	readOnly  bool
	vouched   bool
	home      []file.Option
	strangers bool // some of it may call back
	litter    func(context.Context, cgroup.Scope) ([]cgroup.Place, error)
}

func newOptions(opts []Option) options {
	o := options{
		inspector: process.New(),
		clock:     time.Now,
		log:       slog.New(slog.DiscardHandler),
		observer:  func(Observation) {},
		litter:    cgroup.Litter,
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithLogger makes the registry tell what it does; without it it is silent.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithObserver has fn told of everything that happens, in order, outside all locks: it may fire events. Only Waiting and
// Waited are told in the middle of an event; whatever would wait behind it is refused from there with ErrBusy. fn is never called
// twice at a time for one handle.
func WithObserver(fn Observer) Option { return func(o *options) { o.observer = fn } }

// WithInspector replaces the questions asked of the operating system, for tests. The control groups that
// killed runs left on this machine are then nobody's business.
func WithInspector(i process.Inspector) Option {
	return func(o *options) { o.inspector, o.strangers, o.litter = i, true, nil }
}

// WithClock replaces time.Now, for tests. It is read for acquiredAt and observations only, never for a verdict.
func WithClock(now func() time.Time) Option {
	return func(o *options) { o.clock, o.strangers = now, true }
}

// ReadOnly makes Open take an existing home and change nothing in it, not even a lock file: it works on a read-only
// mount. Acquire and Repair with Apply fail.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// SinglePIDNamespace is the operator's word that everybody who uses this home lives in one PID namespace, this one. It lets
// leases without evidence be judged by their processes. Wrong, it lets a live invocation be taken for dead.
func SinglePIDNamespace() Option { return func(o *options) { o.vouched = true } }

// WithHome passes options to the home, for Open.
func WithHome(opts ...file.Option) Option {
	return func(o *options) { o.home, o.strangers = append(o.home, opts...), true }
}
