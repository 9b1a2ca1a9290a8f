//go:build linux

package file

import (
	"path/filepath"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func benchHome(b *testing.B, disk bool) *Home {
	if disk {
		return create(b, filepath.Join(b.TempDir(), "home"))
	}
	return create(b, filepath.Join(fastDir(b), "home"))
}

var grounds = map[string]bool{"memory": false, "disk": true}

// BenchmarkReplace is one replacement with its lock; BenchmarkBareReplace the four calls that any such replacement makes.
func BenchmarkReplace(b *testing.B) {
	for name, disk := range grounds {
		b.Run(name, func(b *testing.B) {
			h := benchHome(b, disk)
			v := [][]byte{body(0, 1100), body(1, 1100)}
			put(b, h, persist.Create, keyA, nil, v[0])
			under := func(publish func() error) error {
				lock, err := h.Lock(ctx, Shared, nil)
				if err != nil {
					return err
				}
				defer lock.Unlock()
				return publish()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := attempt(persist.Replace, keyA, v[i%2], v[(i+1)%2]).Do(ctx, h.Store(), under); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBareReplace(b *testing.B) {
	for name, disk := range grounds {
		b.Run(name, func(b *testing.B) {
			h := benchHome(b, disk)
			content := body(0, 1100)
			put(b, h, persist.Create, keyA, nil, content)
			files := [2]int{}
			for i, name := range []string{spareFile(keyA), recordFile(keyA)} {
				fd, err := unix.Openat(h.leases.fd, name, unix.O_RDWR|unix.O_CLOEXEC, 0)
				require.NoError(b, err)
				defer unix.Close(fd)
				files[i] = fd
			}
			for i := 0; b.Loop(); i++ {
				_, err := unix.Pwrite(files[i%2], content, 0)
				if err == nil {
					err = unix.Fdatasync(files[i%2])
				}
				if err == nil {
					err = unix.Renameat2(h.leases.fd, spareFile(keyA), h.leases.fd, recordFile(keyA), unix.RENAME_EXCHANGE)
				}
				if err == nil {
					err = unix.Fsync(h.leases.fd)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	h := benchHome(b, false)
	put(b, h, persist.Create, keyA, nil, body(0, 1100))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Store().Read(ctx, keyA); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareRead(b *testing.B) {
	h := benchHome(b, false)
	put(b, h, persist.Create, keyA, nil, body(0, 1100))
	buf := make([]byte, 4096)
	for b.Loop() {
		fd, err := unix.Openat(h.leases.fd, recordFile(keyA), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			_, err = unix.Read(fd, buf)
			_ = unix.Close(fd)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLock(b *testing.B) {
	h := benchHome(b, false)
	for b.Loop() {
		lock, err := h.Lock(ctx, Shared, nil)
		if err != nil {
			b.Fatal(err)
		}
		_ = lock.Unlock()
	}
}
