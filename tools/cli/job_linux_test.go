package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// boundaries are all: job control is the terminal's and the shell's, who know processes by more than their numbers.
var boundaries = []string{"subreaper", "process-group --accept-unproved", "pid-namespace", "auto"}

// runs is the command line that runs a script, which it writes, under a lease.
func (c *console) runs(boundary, script string) string {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, "plugin.sh"), []byte(script), 0o600))
	return "containlease run --boundary " + boundary + " -- sh plugin.sh"
}

// inEach runs the test in every boundary.
func inEach(t *testing.T, test func(*console, string)) {
	for _, b := range boundaries {
		t.Run(strings.Fields(b)[0], func(t *testing.T) { test(atTerminal(t), b) })
	}
}

// TestCtrlCEndsThePlugin: the terminal itself interrupts the foreground group, to which the plugin belongs.
func TestCtrlCEndsThePlugin(t *testing.T) {
	for key, status := range map[string]string{"\x03": "130", "\x1c": "131"} {
		inEach(t, func(c *console, boundary string) {
			c.types(c.runs(boundary, "ulimit -c 0; echo up; exec sleep 300") + "\n")
			c.expect("up\r\n")
			c.types(key)
			c.expect(prompt)
			require.Contains(c.t, c.does("echo status $?"), "status "+status)
			c.nothingLeft()
		})
	}
}

// TestCtrlCReachesThePluginOnce: run passes on what the terminal does not send itself, and nothing twice.
func TestCtrlCReachesThePluginOnce(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.types(c.runs(boundary, `n=0; trap 'n=$((n+1)); echo int $n' INT; echo up
until read line; do :; done; echo "$n in all"; exit 9`) + "\n")
		c.expect("up\r\n")
		for _, said := range []string{"int 1\r\n", "int 2\r\n"} {
			c.types("\x03")
			c.expect(said)
		}
		c.types("done\n")
		c.expect("2 in all\r\n")
		c.expect(prompt)
		require.Contains(c.t, c.does("echo status $?"), "status 9")
		c.nothingLeft()
	})
}

// TestCtrlZStopsAndFgGoesOn: the shell gets its terminal back, what is stopped is alive to everybody, and fg goes on.
func TestCtrlZStopsAndFgGoesOn(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.types(c.runs(boundary, `echo up; read line; echo "heard $line"; read line; echo "heard $line"; exit 5`) + "\n")
		c.expect("up\r\n")
		for _, line := range []string{"one", "two"} {
			c.types("\x1a")
			c.expect("Stopped")
			c.expect(prompt)
			require.Regexp(c.t, "host-active +active", c.does("containlease list"))
			require.Contains(c.t, c.does("containlease doctor; echo status $?"), "status 0")
			c.types("fg\n")
			c.expect("containlease run.*\r\n")
			c.types(line + "\n")
			c.expect("heard " + line + "\r\n")
		}
		c.expect(prompt)
		require.Contains(c.t, c.does("echo status $?"), "status 5")
		c.nothingLeft()
	})
}

// TestAPluginInTheBackgroundThatReads is stopped by the terminal, and so is run: the shell can bring both back.
func TestAPluginInTheBackgroundThatReads(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.does(c.runs(boundary, `read line; echo "heard $line"; exit 6`) + " &")
		for end := time.Now().Add(patience); !strings.Contains(c.does("jobs"), "Stopped"); {
			require.True(c.t, time.Now().Before(end), "the shell is not told that its job is stopped")
		}
		c.types("fg\n")
		c.expect("containlease run.*\r\n")
		c.types("you\n")
		c.expect("heard you\r\n")
		c.expect(prompt)
		require.Contains(c.t, c.does("echo status $?"), "status 6")
		c.nothingLeft()
	})
}

// TestAPluginDecidesWhetherItStops: one that is deaf to the key goes on, in the foreground; one that stops itself is a stopped job.
func TestAPluginDecidesWhetherItStops(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.types(c.runs(boundary, `trap "" TSTP; echo up; read line; echo "heard $line"
kill -STOP $$; echo on; exit 4`) + "\n")
		c.expect("up\r\n")
		c.types("\x1ayou\n")
		c.expect("heard you\r\n")
		c.expect("Stopped")
		c.expect(prompt)
		c.types("fg\n")
		c.expect("on\r\n")
		c.expect(prompt)
		require.Contains(c.t, c.does("echo status $?"), "status 4")
		c.nothingLeft()
	})
}

// TestATerminalThatGoesAway hangs up on run and plugin: nothing is left, and the lease is released.
func TestATerminalThatGoesAway(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.types(c.runs(boundary, "echo up; exec sleep 300") + "\n")
		c.expect("up\r\n")
		c.hangUp()
		left, err := os.ReadDir(filepath.Join(c.dir, "home", "leases"))
		require.NoError(c.t, err)
		require.Empty(c.t, left)
	})
}

// TestCtrlZWhileItWaits stops run itself, as there is no plugin yet: the shell has its terminal back, and fg goes on waiting.
func TestCtrlZWhileItWaits(t *testing.T) {
	c := atTerminal(t)
	c.does("mkfifo go")
	c.does("containlease run --exclusive --boundary subreaper -- sh -c 'echo; read line <go' >held &")
	for end := time.Now().Add(patience); !strings.Contains(c.does("containlease list"), "host-active"); {
		require.True(t, time.Now().Before(end), "the holder does not start")
	}
	c.types("containlease run --exclusive --wait 1h -- sh -c 'echo it runs; exit 3'\n")
	c.expect("waiting up to")
	c.types("\x1a")
	c.expect("Stopped")
	c.expect(prompt)
	c.does("echo >go")
	c.types("fg\n")
	c.expect("it runs")
	c.expect(prompt)
	require.Contains(t, c.does("echo status $?"), "status 3")
}

// TestCtrlCEndsAPluginThatReadsTheTerminal although its standard input is a pipe: it is not in the foreground and the terminal
// stops it.
func TestCtrlCEndsAPluginThatReadsTheTerminal(t *testing.T) {
	inEach(t, func(c *console, boundary string) {
		c.types("echo x | " + c.runs(boundary, "echo up $$; read line </dev/tty; exit 9") + "\n")
		proc := c.plugin(strings.Fields(c.expect("up [0-9]+\r\n"))[1])
		for end := time.Now().Add(patience); ; {
			stat, err := os.ReadFile(filepath.Join(proc, "stat"))
			require.NoError(c.t, err)
			if strings.Contains(string(stat), ") T ") {
				break
			}
			require.True(c.t, time.Now().Before(end), "the terminal does not stop it")
		}
		c.types("\x03")
		c.expect(prompt)
		require.Contains(c.t, c.does("echo status $?"), "status 130")
		c.nothingLeft()
	})
}

// plugin is the directory in our /proc of the plugin that calls itself pid, in whichever PID namespace it is.
func (c *console) plugin(pid string) string {
	c.t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(c.t, err)
	for _, proc := range procs {
		cwd, _ := os.Readlink(filepath.Join(proc, "cwd"))
		status, _ := os.ReadFile(filepath.Join(proc, "status"))
		_, pids, _ := strings.Cut(string(status), "NSpid:")
		pids, _, _ = strings.Cut(pids, "\n")
		if own := strings.Fields(pids); cwd == c.dir && len(own) > 0 && own[len(own)-1] == pid {
			return proc
		}
	}
	require.FailNow(c.t, "there is no such plugin", pid)
	return ""
}
