package memory_test

import (
	"errors"
	"syscall"
	"testing"

	"containlease/persist/internal/disk"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// newFile makes /name with content and returns its descriptor.
func newFile(t *testing.T, p *memory.Process, name, content string) int {
	t.Helper()
	fd, err := p.Create(-1, "/"+name)
	require.NoError(t, err)
	_, err = p.Pwrite(fd, []byte(content), 0)
	require.NoError(t, err)
	return fd
}

// found is what power losses may leave under /name: the distinct contents, "none" where there is no such file.
func found(t *testing.T, d *memory.Disk, name string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for after := range d.Crashes() {
		p := after.Process()
		fd, err := p.Open(-1, "/"+name, disk.Reading)
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOENT)
			all["none"] = true
			continue
		}
		b := make([]byte, 100)
		n, err := p.Pread(fd, b, 0)
		require.NoError(t, err)
		all[string(b[:n])] = true
	}
	return all
}

func TestWhatAPowerLossLeaves(t *testing.T) {
	d := memory.NewDisk()
	p := d.Process()
	root, err := p.OpenDir(-1, "/")
	require.NoError(t, err)
	fd := newFile(t, p, "a", "abcd")
	require.Equal(t, map[string]bool{"none": true, "": true, "abcd": true, "ab": true, "\x00\x00\x00\x00": true}, found(t, d, "a"))
	require.NoError(t, p.SyncData(fd))
	require.Equal(t, map[string]bool{"none": true, "abcd": true}, found(t, d, "a"))
	require.NoError(t, p.Sync(root))
	require.Equal(t, map[string]bool{"abcd": true}, found(t, d, "a"))
	_, err = p.Append(fd, []byte("ef"))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"abcd": true, "abcdef": true, "abcde": true, "abcd\x00\x00": true}, found(t, d, "a"))

	require.NoError(t, p.SyncData(fd))
	require.NoError(t, p.SyncData(newFile(t, p, "b", "B")))
	require.NoError(t, p.Sync(root))
	require.NoError(t, p.Rename(root, "b", "a", disk.Exchange))
	require.Equal(t, map[string]bool{"abcdef": true, "B": true}, found(t, d, "a"), "never none, never both")
}

func TestAFailedSyncForgets(t *testing.T) {
	d := memory.NewDisk()
	p := d.Process()
	fd := newFile(t, p, "a", "abcd")
	root, err := p.OpenDir(-1, "/")
	require.NoError(t, err)
	p.Watch(func(c memory.Call) error {
		return map[bool]error{true: syscall.EIO}[c.Op == "SyncData" || c.Op == "Sync"]
	})
	require.ErrorIs(t, p.SyncData(fd), syscall.EIO)
	require.ErrorIs(t, p.Sync(root), syscall.EIO)
	p.Watch(nil)
	require.NoError(t, p.SyncData(fd))
	require.NoError(t, p.Sync(root))
	require.Contains(t, found(t, d, "a"), "")
	require.Contains(t, found(t, d, "a"), "none")
	newFile(t, p, "b", "")
	require.NoError(t, p.Sync(root))
	require.NotContains(t, found(t, d, "a"), "none", "the directory was changed and written again")
	require.Contains(t, found(t, d, "a"), "", "the file is lost for good")
}

func TestKill(t *testing.T) {
	d := memory.NewDisk()
	p, other := d.Process(), d.Process()
	fd := newFile(t, p, "a", "abcd")
	mine, err := other.Open(-1, "/a", disk.Writing)
	require.NoError(t, err)
	require.NoError(t, p.Own(fd))
	require.NoError(t, p.Flock(fd, disk.LockShared))
	require.ErrorIs(t, other.Own(mine), disk.ErrBusy)
	require.ErrorIs(t, other.Flock(mine, disk.LockExclusive), disk.ErrBusy)
	require.NoError(t, other.Flock(mine, disk.LockShared))
	held, err := other.Owned(mine)
	require.NoError(t, err)
	require.True(t, held)

	p.Watch(func(memory.Call) error { p.Kill(); return nil })
	_, err = p.Pwrite(fd, []byte("late"), 0)
	require.ErrorIs(t, err, memory.ErrKilled)
	require.Zero(t, p.Descriptors())
	require.NoError(t, other.Own(mine))
	require.NoError(t, other.Flock(mine, disk.LockExclusive))
	b := make([]byte, 4)
	_, err = other.Pread(mine, b, 0)
	require.NoError(t, err)
	require.Equal(t, "abcd", string(b))
}

func TestState(t *testing.T) {
	build := func(sync bool) *memory.Disk {
		d := memory.NewDisk()
		p := d.Process()
		fd := newFile(t, p, "a", "abcd")
		if sync {
			require.NoError(t, p.SyncData(fd))
		}
		return d
	}
	require.Equal(t, build(true).State(), build(true).State())
	require.NotEqual(t, build(true).State(), build(false).State(), "what is pending makes a difference")
	require.Equal(t, build(false).State(), build(false).Killed().State())
}

func TestSyncsMayBeDropped(t *testing.T) {
	d := memory.NewDisk()
	p := d.Process()
	fd := newFile(t, p, "a", "abcd")
	p.Watch(func(memory.Call) error { return memory.ErrDropped })
	require.NoError(t, p.SyncData(fd))
	require.Contains(t, found(t, d, "a"), "")
	p.Watch(func(memory.Call) error { return errors.ErrUnsupported })
	_, err := p.Create(-1, "/b")
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
