package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"

	"containlease/lease"
	"containlease/lease/host"
	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

// How an owner that is another program behaves after its invocation.
const (
	ownsOn  = "stays"   // it keeps the lease that it could not release
	ownsOff = "becomes" // when asked by USR1 it replaces itself by another program
)

// own HOME HOW SOCKET TOKEN SHAPE is a program with the library in it: it runs the plugin in a
// subreaper and stays, whatever comes of it. It answers as a bystander does, since it is somebody's
// program.
func own(args []string) error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, scene.Identity("torment"), args[3])
	if err != nil {
		return err
	}
	go func() {
		cmd := exec.Command(os.Args[0], append([]string{"plugin"}, args[2:]...)...)
		_, _ = host.Run(ctx, h, cmd, host.WithBoundary("subreaper"), host.WithGrace(0))
	}()
	if args[1] == ownsOff {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, unix.SIGUSR1)
		<-asked
		return unix.Exec(os.Args[0], []string{os.Args[0], "stand", "on"}, os.Environ())
	}
	return stand([]string{"on"})
}

// owned begins an invocation whose owner is such a program.
func (r *round) owned(how string, tree shape) *invocation {
	v := r.planned("subreaper", tree)
	v.cmd = r.placed(exec.CommandContext(r.ctx, r.self,
		append([]string{"own", r.home, how}, r.plugs(v)[1:]...)...))
	v.cmd.Env = append(os.Environ(), calm)
	r.begin(v, "a program of its own")
	return v
}

// elsewhere begins an invocation whose owner runs in a PID namespace of its own, below an init that
// stays: what is taken for the owner here is that init, and what is taken for gates are its
// children.
func (r *round) elsewhere(tree shape) *invocation {
	v := r.planned("subreaper", tree)
	run := r.command("run", "--run-id", v.runID, "--boundary", "subreaper", "--grace", "1h", "--",
		r.self)
	argv := append(append([]string{"keep", run.Path}, run.Args[1:]...), r.plugs(v)...)
	v.cmd = r.placed(exec.CommandContext(r.ctx, r.self, argv...))
	v.cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	r.begin(v, "an init of its own with containlease run")
	return v
}
