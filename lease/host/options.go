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

// reprieve is how long the owner, its wait over, reads what the gate has said meanwhile, before it takes the end for unproved.
const reprieve = time.Second

// reapWait bounds the wait for a gate that is dying: its end, and then the end of the plugin's output, which somebody may
// hold open.
const reapWait = 2 * killWait

// Option changes one Run or Prepare.
type Option func(*options)

type options struct {
	grace    time.Duration
	gate     string
	signals  <-chan os.Signal
	boundary string
	unproved bool
	sha256   []byte
	stopped  func(os.Signal)
}

func collect(opts []Option) options {
	o := options{grace: DefaultGrace, boundary: Auto}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithBoundary asks for one of Kinds; the default is Auto.
func WithBoundary(kind string) Option { return func(o *options) { o.boundary = kind } }

// AcceptUnproved accepts a boundary that proves nothing: only with it may process-group be asked for. After a crash such a lease
// stays until a reboot, or an operator's word.
func AcceptUnproved() Option { return func(o *options) { o.unproved = true } }

// WithGrace sets the time between asking and killing; 0 kills at once. It begins once, at the first of: a TERM or HUP that is passed on, the end
// of Run's context, the plugin's end (for what it left behind), the owner's death. Nothing is killed before it is over; then
// everything is, until nothing is left. Run waits 6 s longer for that, and no more.
func WithGrace(d time.Duration) Option { return func(o *options) { o.grace = d } }

// WithGate names a containlease program that serves as the gate, for programs that cannot call GateMain.
func WithGate(path string) Option { return func(o *options) { o.gate = path } }

// WithSHA256 refuses a plugin whose file has another digest (ErrDigest). It is looked at before anything is started: a file that is
// exchanged afterwards is not noticed. With Prepare it stands for a check of the library's own (go-plugin's SecureConfig), which
// would find this program in the plugin's place.
func WithSHA256(sum []byte) Option { return func(o *options) { o.sha256 = append([]byte{}, sum...) } }

// WithSignals has Run pass on what arrives on ch, each exactly once: to the plugin, whose standard input decides which. If that is a
// terminal, INT, QUIT, TSTP, TTIN, TTOU and WINCH are not passed on, since the terminal sends them to the whole group itself, nor
// CONT, which the shell does. URG, CHLD and PIPE never are. TERM and HUP also begin the grace. With INT,
// QUIT, TERM or HUP a stopped plugin is sent CONT, so that it can do as it is asked. The channel stays the caller's.
// Prepare needs none: what is signalled to the process that somebody else started reaches the plugin.
func WithSignals(ch <-chan os.Signal) Option { return func(o *options) { o.signals = ch } }

// WithStopped has Run call f, with the signal, whenever a plugin that reads from a terminal was stopped: a program that is a job of a
// shell stops itself then, since the shell waits for it and not for the plugin. Run waits for f.
func WithStopped(f func(os.Signal)) Option { return func(o *options) { o.stopped = f } }

// Result tells how a plugin ended.
type Result struct {
	Code     int    // its exit status, or 128 + the signal that killed it
	Signaled bool   // it was killed by a signal
	Started  bool   // some of its code may have run
	Boundary string // what enclosed it, as in the evidence
	Why      string // why that one, for people (see Choice)
}
