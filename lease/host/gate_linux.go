package host

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist/file"

	"golang.org/x/sys/unix"
)

// gate is the process between owner and plugin, on its own side.
type gate struct {
	conn   *conn
	front  *conn    // nil where there is none
	plugin []string // behind a front: the plugin's path and its argv
	spec   spec
	self   leasefile.Host // as its owner put it on record: in a PID namespace of its own the gate sees another pid
	tty    bool           // the plugin reads from a terminal
	inside enclosure
	kids   *children
	end    *ender
	alone  atomic.Bool // the owner is gone, and the grace runs
}

// ServeGate is the gate, on the control socket fd: what `containlease gate` runs. It returns when nothing that it could wait
// for is left. The calling goroutine keeps its thread for good: the plugin is tied to it.
func ServeGate(fd int) error {
	c, err := inherited(fd)
	if err != nil {
		return err
	}
	return (&gate{conn: c, kids: &children{}}).serve()
}

func (g *gate) serve() error {
	runtime.LockOSThread() // PDEATHSIG follows the thread that forked
	signals := make(chan os.Signal, 64)
	catch(signals) // first of all: they wait until there is a plugin to be told
	if err := g.greet(); err != nil {
		return err
	}
	g.end = newEnder(g.kids, g.inside, time.Duration(g.spec.GraceNanos), g.hindered)
	if g.opens() {
		pass("the gate is open")
		g.start()
		go g.heed(signals, len(signals))
		go g.listen()
		go g.listenToFront()
	}
	err := g.reap()
	if err == nil {
		err = g.inside.drained()
	}
	if err != nil {
		return g.giveUp(err)
	}
	pass("nothing is left")
	// Each is a proof of its own: an owner that lives needs no note, which a full disk may refuse, and the note stands without it.
	err = g.leaveNote()
	pass("the gate leaves its note")
	_ = g.conn.say(kindEmpty, word{})
	pass("the gate says that nothing is left")
	return errors.Join(err, g.conn.Close())
}

// hindered has the owner know what stands in the way of a proof. It may yet come.
func (g *gate) hindered(why error) { _ = g.conn.say(kindTrouble, word{Text: why.Error()}) }

// giveUp ends what can be ended where the end cannot be proved, and then the gate: without a note, and without the word that
// nothing is left.
func (g *gate) giveUp(why error) error {
	g.hindered(why)
	g.end.ask()
	g.end.drain()
	<-g.end.killed
	return fmt.Errorf("the end cannot be proved: %w", why)
}

// opens waits for the one byte. An end of file, or anything else, leaves the gate shut for good.
func (g *gate) opens() bool {
	f, err := receive(g.conn.in)
	return err == nil && f.kind == kindOpen
}

// start executes the plugin, and then lets go of its files.
func (g *gate) start() {
	files := make([]uintptr, 3+g.spec.Extra)
	for i := range files {
		files[i] = uintptr(i)
	}
	sys := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	g.inside.shape(sys)
	attr := &syscall.ProcAttr{Dir: string(g.spec.Dir), Env: lease.Marked(stringsOf(g.spec.Env), g.spec.LeaseID), Files: files, Sys: sys}
	var pid int
	err := error(unix.ECANCELED)
	if !g.front.hungUp() { // who killed the front wants nothing of the plugin to run
		pid, err = syscall.ForkExec(string(g.spec.Path), stringsOf(g.spec.Args), attr)
	}
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		g.tell(kindFailed, int(errno))
	case err != nil:
		g.tell(kindFailed, int(unix.EINVAL))
	default:
		g.kids.plugin(pid)
		pass("the gate has started the plugin")
		g.tell(kindStarted, 0)
	}
	letGo(len(files))
}

// tell has the owner and the front know what became of the plugin.
func (g *gate) tell(k kind, number int) {
	_ = g.conn.say(k, word{Number: number})
	if g.front != nil {
		_ = g.front.say(k, word{Number: number})
	}
}

// letGo puts /dev/null on the standard files and closes the extra ones, so that the plugin's readers see its end.
func letGo(n int) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range min(n, 3) {
		_ = unix.Dup3(null, fd, 0)
	}
	_ = unix.Close(null)
	for fd := 3; fd < n; fd++ {
		_ = unix.Close(fd)
	}
}

// listen obeys the owner until it is gone, and then ends the invocation.
func (g *gate) listen() {
	for {
		f, err := receive(g.conn.in)
		if err != nil {
			g.end.ask()
			g.alone.Store(true)
			return
		}
		var w word
		switch {
		case f.kind == kindStop:
			g.end.ask()
		case f.kind == kindSignal && f.read(&w) == nil:
			g.kids.signalPlugin(syscall.Signal(w.Number))
			if s := syscall.Signal(w.Number); s == unix.SIGTERM || s == unix.SIGHUP {
				g.end.begin()
			}
		}
	}
}

// listenToFront passes on what was signalled to the front, which is for its starter to judge: no signal begins the grace but the one
// that cannot be passed on, KILL.
func (g *gate) listenToFront() {
	for g.front != nil {
		f, err := receive(g.front.in)
		if err != nil {
			_ = g.conn.say(kindAsked, word{})
			g.end.ask()
			return
		}
		var w word
		if f.kind == kindSignal && f.read(&w) == nil {
			g.kids.signalPlugin(syscall.Signal(w.Number))
		}
	}
}

// reap waits until there is nothing left to wait for. An error: that cannot be told.
func (g *gate) reap() error {
	for {
		status, wasPlugin, err := g.kids.reapOne()
		if err == unix.ECHILD {
			return g.kids.missed()
		}
		if err != nil {
			return err
		}
		switch {
		case status.Stopped():
			if wasPlugin {
				_ = g.conn.say(kindStopped, word{Number: int(status.StopSignal())})
			}
			continue
		case wasPlugin:
			pass("the plugin ends")
			g.tell(kindStatus, int(status))
			g.end.drain()
		}
		g.end.look()
	}
}

// leaveNote writes down, beside the lease, that the boundary is empty: the doctor's proof, should the owner not live to use
// the word on the socket. The owner has vouched for the home, if anybody had to.
func (g *gate) leaveNote() error {
	home, err := file.Open(string(g.spec.Home), file.AllowAnyFilesystem(), file.TrustParents())
	if err != nil {
		return err
	}
	defer home.Close()
	note := leasefile.EmptyV1{LeaseID: g.spec.LeaseID, Token: g.spec.Token, Gate: g.self}
	return home.WriteRecord("owners/"+g.spec.LeaseID+".empty", note.AppendCanonical(nil), file.Volatile)
}
