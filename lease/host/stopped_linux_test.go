package host_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAStoppedPluginDoesAsItIsAsked: as one is that reads the terminal while its standard input is a pipe.
func TestAStoppedPluginDoesAsItIsAsked(t *testing.T) {
	for name, tt := range map[string]struct {
		ask  func(cancel func(), signals chan<- os.Signal)
		died syscall.Signal
	}{
		"INT":  {func(_ func(), s chan<- os.Signal) { s <- unix.SIGINT }, unix.SIGINT},
		"QUIT": {func(_ func(), s chan<- os.Signal) { s <- unix.SIGQUIT }, unix.SIGQUIT},
		"TERM": {asking["TERM is passed on"], unix.SIGTERM},
		"HUP":  {asking["HUP is passed on"], unix.SIGHUP},
		"stop": {asking["the context ends"], unix.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			cmd := sh("ulimit -c 0; echo $$; kill -STOP $$; exit 5")
			cmd.Stdout = w
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			signals := make(chan os.Signal, 1)
			go func() {
				if untilStopped(r) == nil {
					tt.ask(cancel, signals)
				}
			}()
			got, err := host.Run(ctx, h, cmd, host.WithGrace(patience), host.WithSignals(signals), host.WithBoundary("subreaper"))
			require.NoError(t, err)
			require.Equal(t, 128+int(tt.died), got.Code)
			require.NoError(t, h.Release(t.Context()))
		})
	}
}

// untilStopped reads a pid, and returns once that process is stopped.
func untilStopped(r io.Reader) error {
	line := make([]byte, 32)
	n, err := r.Read(line)
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	for err == nil {
		var stat []byte
		stat, err = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if bytes.Contains(stat, []byte(") T ")) {
			return nil
		}
	}
	return err
}
