//go:build linux || darwin || freebsd

package file

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// Readers beside many replacements see every record, whole, and never older than before.
func TestReadersBesideReplacements(t *testing.T) {
	const replacements, readers = 10_000, 4
	h, _ := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 1000))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			last, reads := -1, 0
			for running := true; running; reads++ {
				select {
				case <-done:
					running = false
				default:
				}
				e, err := h.Store().Read(ctx, keyA)
				if err != nil {
					t.Errorf("read %d: %v", reads, err)
					return
				}
				version := versionOf(e.Content)
				if version < last || !bytes.Equal(e.Content, body(version, len(e.Content))) {
					t.Errorf("read %d: version %d after %d: mixed or old: %.40q", reads, version, last, e.Content)
					return
				}
				last = version
			}
			if last != replacements {
				t.Errorf("the last read saw version %d", last)
			}
		})
	}
	old := body(0, 1000)
	for i := 1; i <= replacements && !t.Failed(); i++ {
		next := body(i, 1000+i%600)
		put(t, h, persist.Replace, keyA, old, next)
		old = next
	}
	close(done)
	wg.Wait()
}

func versionOf(b []byte) (v int) {
	for _, c := range b[:7] {
		v = 10*v + int(c-'0')
	}
	return v
}

// sleepy is a reader that sleeps between its first and its second half, on a file system whose clock stands still.
type sleepy struct {
	system
	during func()
}

func (s *sleepy) Pread(fd int, b []byte, at int64) (int, error) {
	if len(b) < 2 || s.during == nil {
		return s.system.Pread(fd, b, at)
	}
	during := s.during
	s.during = nil
	n, err := s.system.Pread(fd, b[:len(b)/2], at)
	during()
	return n, err
}

// On kernels before 6.13 two changes within a tick have equal times; this leaves only the time that Stage sets.
func (s *sleepy) Stat(fd int) (info, error) {
	i, err := s.system.Stat(fd)
	i.Ctime = 0
	return i, err
}

func (s *sleepy) Lstat(d int, n string) (info, error) {
	i, err := s.system.Lstat(d, n)
	i.Ctime = 0
	return i, err
}

func TestReaderThatSleepsThroughReplacements(t *testing.T) {
	for replacements := range 5 {
		h, _ := newHome(t)
		put(t, h, persist.Create, keyA, nil, body(0, 1000))
		reader := create(t, h.Dir())
		version := 0
		reader.leases.sys = &sleepy{system: mustSystem(t), during: func() {
			for range replacements {
				put(t, h, persist.Replace, keyA, body(version, 1000), body(version+1, 1000))
				version++
			}
		}}
		e, err := reader.Store().Read(ctx, keyA)
		require.NoError(t, err)
		require.Equal(t, body(version, 1000), e.Content, "%d replacements", replacements)
	}
}

// A defect seen in a file that lost its name meanwhile is nobody's defect.
func TestDefectOfAReplacedFileIsNotReported(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 1000))
	require.NoError(t, os.Chmod(h.leases.join(recordFile(keyA)), 0o666))
	var mend sync.Once
	tr.watch(func(call string) (error, bool) {
		if call == "lstat" {
			mend.Do(func() { _ = os.Chmod(h.leases.join(recordFile(keyA)), 0o600) })
		}
		return nil, false
	})
	require.Equal(t, body(0, 1000), content(t, h, keyA))
}

func TestRecordThatNeverRests(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 1000))
	mtime := int64(0)
	tr.watch(func(call string) (error, bool) {
		if call == "pread" {
			mtime++
			_ = tr.system.SetMtime(h.leases.fd, recordFile(keyA), mtime)
		}
		return nil, false
	})
	var bad *persist.RecordError
	_, err := h.Store().Read(ctx, keyA)
	require.ErrorAs(t, err, &bad)
	require.Equal(t, persist.Unstable, bad.Kind)
	require.Equal(t, readAttempts, int(mtime))
}

// linkless shows files without a link for so many looks, as btrfs does while a record and its spare are exchanged.
type linkless struct {
	system
	looks int
}

func (l *linkless) show(i info, err error) (info, error) {
	if l.looks > 0 {
		l.looks--
		i.Links = 0
	}
	return i, err
}

func (l *linkless) Stat(fd int) (info, error) { return l.show(l.system.Stat(fd)) }
func (l *linkless) Lstat(dir int, name string) (info, error) {
	return l.show(l.system.Lstat(dir, name))
}

// A lease that is being exchanged is there, and healthy.
func TestReadOfAnExchange(t *testing.T) {
	h, _ := newHome(t)
	require.NoError(t, h.WriteRecord("machine.json", body(1, 90), Volatile))
	h.root.sys = &linkless{h.root.sys, 6}
	content, err := h.ReadRecord("machine.json")
	require.NoError(t, err)
	require.Equal(t, body(1, 90), content)
}
