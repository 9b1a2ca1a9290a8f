//go:build linux || darwin || freebsd

package memory_test

import (
	"testing"

	"containlease/persist/file"
	"containlease/persist/internal/disk"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// explore plays a scene and visits what every crash in it leaves. deepest is how often in a row: 1 is in the scene, 2 in the
// recovery from that too.
func explore(s scene, deepest int, via func(*memory.Process) disk.System, fault func(memory.Call) error) *memory.Explorer {
	x := &memory.Explorer{}
	w := newWorld(memory.NewDisk())
	w.via = via
	if x.Err = s.prepare(w); x.Err != nil {
		return x
	}
	if s.fault != nil {
		fault = s.fault()
	}
	follow(x, w, s.play, deepest, fault)
	return x
}

func follow(x *memory.Explorer, w *world, play func(*world) error, deepest int, fault func(memory.Call) error) {
	end := func() {}
	if w.depth < deepest {
		end = x.Follow(w.p, w.expect, func(after *memory.Disk) error {
			follow(x, w.crashed(after), (*world).recover, deepest, nil)
			return x.Err
		}, fault)
	}
	if err := play(w); err != nil && x.Err == nil {
		x.Err = err
	}
	end()
}

// Whatever is crashed whenever, an acknowledged write is there, a lease is old or new and whole, no lock stays, and the next
// operation works, also after a crash in the recovery.
func TestEveryCrash(t *testing.T) {
	var sum memory.Explorer
	for _, s := range scenes {
		x := explore(s, map[bool]int{false: 2, true: 1}[raceDetector || testing.Short()], nil, nil)
		t.Logf("%-50s %6d moments, %8d states, %7d distinct", s.name, x.Points, x.States, x.Distinct)
		require.NoError(t, x.Err, s.name)
		sum.Points, sum.States, sum.Distinct = sum.Points+x.Points, sum.States+x.States, sum.Distinct+x.Distinct
	}
	t.Logf("crash states explored: %d at %d moments, %d distinct, crashes in recovery included", sum.States, sum.Points, sum.Distinct)
}

// A record that an older version made, synced without its name, and left when it died, is not lost any more once it is relied upon.
func TestRelyingOnAnOldRecord(t *testing.T) {
	w := newWorld(memory.NewDisk())
	require.NoError(t, w.start())
	home, err := w.p.OpenDir(-1, path)
	require.NoError(t, err)
	fd, err := w.p.Create(home, "")
	require.NoError(t, err)
	_, err = w.p.Pwrite(fd, v[0], 0)
	require.NoError(t, err)
	require.NoError(t, w.p.SyncData(fd))
	require.NoError(t, w.p.Link(fd, home, machineID))
	require.NoError(t, w.start())
	require.NoError(t, w.rely())
	for after := range w.d.Crashes() {
		h, err := file.Open(path, file.On(after.Process()))
		require.NoError(t, err)
		content, err := h.ReadRecord(machineID)
		require.NoError(t, err)
		require.Equal(t, v[0], content)
	}
}
