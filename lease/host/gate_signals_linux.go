package host

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// catch has every signal sent to ch, by handlers rather than by ignoring: what is ignored would stay so in the plugin. For the
// same reason it leaves alone what our caller ignores (nohup).
func catch(ch chan<- os.Signal) {
	for s := unix.SIGHUP; s < 65; s++ {
		if s != unix.SIGURG && s != unix.SIGCHLD && !signal.Ignored(s) {
			signal.Notify(ch, s)
		}
	}
}

// heed takes every signal that would end or stop the gate. TERM asks the plugin to end. Once the owner is gone it has been asked
// already: then TERM is an operator who wants to wait no longer. The first ones, as many as early says, came
// before there was a plugin: of what a terminal sends to the whole group it has had none.
func (g *gate) heed(signals <-chan os.Signal, early int) {
	for sig := range signals {
		s, _ := sig.(syscall.Signal)
		switch {
		case s == unix.SIGTERM && g.alone.Load():
			g.end.hurry()
		case s == unix.SIGTERM:
			g.end.ask()
		case early > 0 && g.tty && forwards(s, false) && !forwards(s, true):
			g.kids.signalPlugin(s)
		}
		early--
	}
}
