package file

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestNotifierAdmitsWhatItMissed: the kernel forgets events when too many wait; then everything may have changed.
func TestNotifierAdmitsWhatItMissed(t *testing.T) {
	event := func(watch int32, mask uint32, name string) []byte {
		b := binary.NativeEndian.AppendUint32(nil, uint32(watch))
		b = binary.NativeEndian.AppendUint32(b, mask)
		b = binary.NativeEndian.AppendUint32(b, 0)
		padded := fmt.Appendf(nil, "%s\x00\x00\x00", name)
		return append(binary.NativeEndian.AppendUint32(b, uint32(len(padded))), padded...)
	}
	n := &Notifier{leases: 2}
	for _, c := range []struct {
		events []byte
		want   Touched
	}{
		{nil, Touched{}},
		{event(-1, unix.IN_Q_OVERFLOW, ""), Touched{All: true}},
		{event(2, unix.IN_IGNORED, ""), Touched{All: true}},
		{event(1, unix.IN_CREATE, "stranger"), Touched{}},
		{event(2, unix.IN_CREATE, spareFile(keyA)), Touched{}},
		{append(event(2, unix.IN_MOVED_TO, keyA+".json"), event(1, unix.IN_CREATE, keyA+".lock")...), Touched{Keys: []string{keyA}}},
	} {
		require.Equal(t, c.want, n.touched(c.events))
	}
}
