package host

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"containlease/gen/leasefile"
	"containlease/lease"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const noDigest = "0000000000000000000000000000000000000000000000000000000000000000"

var demo = leasefile.OperationIdentity{
	PluginID: "demo", PluginVersion: "1.0.0", SurfaceID: "demo", AdapterID: "demo", Transport: leasefile.TransportProviderAPI,
	Operation: "command.run", ContractVersion: 1, BundleSHA256: noDigest, ManifestSHA256: noDigest, DescriptorSHA256: noDigest,
}

// terminal is one that is nobody's controlling terminal.
func terminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return slave
}

// TestASignalToAGateThatStarts reaches the plugin, as one that comes later does: the gate neither dies of it nor loses it.
func TestASignalToAGateThatStarts(t *testing.T) {
	for name, tt := range map[string]struct {
		signal syscall.Signal
		stdin  *os.File
	}{
		"a key at a terminal": {unix.SIGINT, terminal(t)},
		"TERM":                {unix.SIGTERM, nil},
	} {
		t.Run(name, func(t *testing.T) {
			reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
			require.NoError(t, err)
			defer reg.Close()
			h, err := reg.Acquire(t.Context(), demo, "")
			require.NoError(t, err)
			var errs bytes.Buffer
			cmd := exec.Command("sleep", "300")
			cmd.Stderr = &errs
			if tt.stdin != nil {
				cmd.Stdin = tt.stdin
			}
			b := bare{leasefile.BoundaryKindSubreaper}
			o := options{grace: DefaultGrace}
			g, err := launch(cmd, b, o)
			require.NoError(t, err)
			s, err := specOf(h, cmd, b, o)
			require.NoError(t, err)
			require.NoError(t, g.greet(s))
			require.NoError(t, unix.Kill(g.conn.peer, tt.signal))
			require.NoError(t, g.pin())
			require.NoError(t, g.admit(t.Context(), h))
			g.open()
			require.NoError(t, g.unopened)
			e := g.attend(t.Context(), o)
			require.NoError(t, e.unproved, errs.String())
			require.Equal(t, 128+int(tt.signal), e.code)
		})
	}
}
