package host_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"

	"github.com/stretchr/testify/require"
)

// outlooks are places from which somebody asks about another's lease: by unshare's flags and a script of mounts. Live is said of an owner at work, whose
// lock is seen from everywhere; dead of one that was killed.
var outlooks = map[string]struct {
	flags      []string
	script     string
	live, dead string
}{
	"the owner's own place": {[]string{"--mount"}, `:`, "active lock-held admits", "gone never-started blocked-unverifiable removed true"},
	"/proc/sys over itself, read-only, as in containers": {[]string{"--mount"}, `mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys`,
		"active lock-held admits", "gone never-started blocked-unverifiable removed true"},
	"another time namespace":                {[]string{"--time", "--fork", "--boottime", "1000"}, `:`, "active lock-held admits", "unknown other-namespace blocked-unverifiable removed false"},
	"another PID namespace":                 {[]string{"--pid", "--fork", "--mount-proc"}, `:`, "active lock-held admits", "unknown other-namespace blocked-unverifiable removed false"},
	"another PID namespace, with our /proc": {[]string{"--pid", "--fork"}, `:`, "active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
	"no /proc":                              {[]string{"--mount"}, `umount -l /proc`, "active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
	"a /proc that is none":                  {[]string{"--mount"}, `mount -t tmpfs none /proc`, "active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
	"another boot id mounted over the kernel's": {[]string{"--mount"}, `cat /proc/sys/kernel/random/uuid >"$arg/../id"; mount --bind "$arg/../id" /proc/sys/kernel/random/boot_id`,
		"active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
	"another directory mounted over the boot id's": {[]string{"--mount"}, `id=$(cat /proc/sys/kernel/random/uuid); mount -t tmpfs none /proc/sys/kernel/random; echo $id >/proc/sys/kernel/random/boot_id`,
		"active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
	"another directory mounted over /proc/sys": {[]string{"--mount"}, `id=$(cat /proc/sys/kernel/random/uuid); mount -t tmpfs none /proc/sys; mkdir -p /proc/sys/kernel/random; echo $id >/proc/sys/kernel/random/boot_id`,
		"active lock-held no-identity", "unknown boot-unreliable no-identity removed false"},
}

func TestWhatIsSaidFromElsewhere(t *testing.T) {
	needsRoot(t)
	for name, at := range outlooks {
		t.Run(name, func(t *testing.T) {
			owner, reg := startLadderOwner(t, "waits")
			ask := func() string {
				cmd := within(as("asks", "HOST_TEST_HOME="+reg.Dir()), at.script, reg.Dir(), at.flags...)
				cmd.Stderr = nil // the race detector misses /proc too, and says so
				return output(t, cmd)
			}
			require.Equal(t, at.live+" removed false\n", ask())
			require.NoError(t, owner.Process.Kill())
			_ = owner.Wait()
			require.Equal(t, at.dead+"\n", ask())
			for range reg.List(t.Context()) { // at home it is gone, whatever was said elsewhere
				require.True(t, removes(t, reg))
			}
			empty(t, reg)
		})
	}
}

// The other way round: the owner was in a container, and we look in.
func TestWhatIsSaidOfOwnersElsewhere(t *testing.T) {
	needsRoot(t)
	for name, flags := range map[string][]string{
		"in another PID namespace":  {"--pid", "--fork", "--mount-proc"},
		"in another time namespace": {"--time", "--fork", "--boottime", "1000"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir() + "/home"
			cmd := within(as("ladder-owner", "HOST_TEST_HOME="+home, "HOST_TEST_HOW=waits"), `:`, "", append(flags, "--kill-child")...)
			out := begin(t, cmd)
			require.True(t, out.Scan())
			reg, err := lease.Open(t.Context(), home)
			require.NoError(t, err)
			defer reg.Close()
			a, err := askAll(t.Context(), reg)
			require.NoError(t, err)
			require.Equal(t, "lock-held", a.found.Verdict.Rule, "its lock is seen across namespaces")
			require.Equal(t, "admits", a.acquire)
			owner, err := os.FindProcess(onlyChildOf(t, cmd.Process.Pid))
			require.NoError(t, err)
			require.NoError(t, owner.Kill())
			_ = cmd.Wait()                      // unshare ends when it has reaped its child
			require.NoError(t, owner.Release()) // a pidfd of a process of it keeps a namespace
			tidied(t, a.found.Evidence, flags[0] == "--pid")
			a, err = askAll(t.Context(), reg)
			require.NoError(t, err)
			require.Equal(t, "blocked-unverifiable", a.acquire)
			ns, err := process.New().Namespaces()
			require.NoError(t, err)
			if flags[0] == "--pid" && ns.PIDID != 0 { // this kernel tells of namespaces that have ended
				require.Equal(t, "namespace-gone", a.found.Verdict.Rule)
				require.True(t, removes(t, reg))
				return
			}
			require.Equal(t, "other-namespace", a.found.Verdict.Rule)
			require.False(t, removes(t, reg))
		})
	}
}

// reusesPID is in a PID namespace of its own: its owner is killed, and somebody else is given the owner's number.
func reusesPID() error {
	owner := as("ladder-owner", "HOST_TEST_HOME="+os.Getenv("HOST_TEST_HOME"), "HOST_TEST_HOW=waits")
	out, err := owner.StdoutPipe()
	if err != nil {
		return err
	}
	if err := owner.Start(); err != nil {
		return err
	}
	if _, err := out.Read(make([]byte, 3)); err != nil {
		return err
	}
	_ = owner.Process.Kill()
	_ = owner.Wait()
	for range 100 { // the threads of this program take numbers too
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(owner.Process.Pid-1)), 0); err != nil {
			return err
		}
		heir := exec.Command("sleep", "300")
		if err := heir.Start(); err != nil {
			return err
		}
		if heir.Process.Pid == owner.Process.Pid {
			defer func() { _ = heir.Process.Kill(); _ = heir.Wait() }()
			return asks()
		}
		_ = heir.Process.Kill()
		_ = heir.Wait()
	}
	return errors.New("the number was not given again")
}

func TestAnotherProcessHasTheOwnersNumber(t *testing.T) {
	needsRoot(t)
	home := t.TempDir() + "/home"
	got := output(t, within(as("reuses-pid", "HOST_TEST_HOME="+home), `:`, "", "--pid", "--fork", "--mount-proc"))
	require.Equal(t, fmt.Sprintln("gone never-started blocked-unverifiable removed true"), got)
}

// A copy of a home says nothing of processes, be they alive or dead, and is not written to.
func TestWhatIsSaidInACopiedHome(t *testing.T) {
	owner, reg := startLadderOwner(t, "waits")
	for _, dead := range []bool{false, true} {
		if dead {
			require.NoError(t, owner.Process.Kill())
			_ = owner.Wait()
		}
		copied := t.TempDir() + "/copy"
		require.NoError(t, exec.Command("cp", "-a", reg.Dir(), copied).Run())
		_, err := lease.Open(t.Context(), copied)
		require.ErrorIs(t, err, lease.ErrOtherHome)
		require.Regexp(t, "^unknown other-machine parent-owned removed false", output(t, as("doctor", "HOST_TEST_HOME="+copied)))
	}
	require.True(t, removes(t, reg))
}

// tidied waits until the kernel has let go of a PID namespace without a process, where it tells.
func tidied(t *testing.T, e *leasefile.EvidenceV2, ends bool) {
	t.Helper()
	if ends && e.PIDNamespaceID != nil {
		require.Eventually(t, func() bool {
			return process.New().NamespaceEnded(uint64(*e.PIDNamespaceID), uint64(*e.PIDNamespace))
		}, patience, patience/1000)
	}
}
