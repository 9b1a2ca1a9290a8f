package host

import (
	"os"
	"time"
)

// DefaultGrace is how long a plugin that is asked to end, and whatever it left behind, may take before it is killed.
const DefaultGrace = 10 * time.Second

// killWait is how long the owner waits beyond the grace for what was killed to be gone. What takes longer cannot be killed:
// the lease becomes unsafe, and the gate goes on waiting.
const killWait = 5 * time.Second

// Option changes one Run.
type Option func(*options)

type options struct {
	grace   time.Duration
	gate    string
	signals <-chan os.Signal
}

// WithGrace sets the time between asking and killing; 0 kills at once.
func WithGrace(d time.Duration) Option { return func(o *options) { o.grace = d } }

// WithGate names a containlease program that serves as the gate, for programs that cannot call GateMain.
func WithGate(path string) Option { return func(o *options) { o.gate = path } }

// WithSignals has Run pass on what arrives on ch, each exactly once: to the plugin, whose standard input decides which. If that is a
// terminal, INT, QUIT and TSTP are not passed on, since the terminal sends them itself. URG, CHLD and PIPE never are. TERM and
// HUP also begin the grace. The channel stays the caller's.
func WithSignals(ch <-chan os.Signal) Option { return func(o *options) { o.signals = ch } }

// Result tells how a plugin ended.
type Result struct {
	Code     int    // its exit status, or 128 + the signal that killed it
	Signaled bool   // it was killed by a signal
	Started  bool   // some of its code may have run
	Boundary string // what enclosed it, as in the evidence
}
