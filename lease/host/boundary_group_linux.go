package host

import "syscall"

// insideProcessGroup has the plugin lead a process group of its own, unless a terminal's job control has the word. It
// helps to stop what is in it, and proves nothing: whoever likes leaves it.
type insideProcessGroup struct {
	insideNothing
	own bool
}

func (p insideProcessGroup) shape(a *syscall.SysProcAttr) { a.Setpgid = p.own }

// kill reaches the group while its leader is not reaped; afterwards its number may be a stranger's.
func (p insideProcessGroup) kill(kids *children) {
	if p.own {
		kids.signalGroup(syscall.SIGKILL)
	}
}
