package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	fakeBoot = "C8DBCC89-826d-447f-8151-cd7e09881349" // upper case is used as read
	fakeStat = " (x) y) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 1 1\n"
)

// fake is an inspector of a tree that looks like /proc, where only the caller is.
type fake struct {
	inspector
	t *testing.T
}

func newFake(t *testing.T) fake {
	root := t.TempDir()
	var fs unix.Statfs_t
	require.NoError(t, unix.Statfs(root, &fs))
	f := fake{inspector{root, int64(fs.Type), OpenPidfd, probe}, t}
	pid := itoa(int64(os.Getpid()))
	f.write(pid+"/stat", pid+fakeStat)
	f.write(pid+"/status", "Name:\tx\nNSpid:\t"+pid+"\nThreads:\t1\n")
	f.write(bootFile, fakeBoot+"\n")
	require.NoError(t, os.Symlink(pid, filepath.Join(root, "self")))
	return f
}

func (f fake) write(name, content string) {
	path := filepath.Join(f.root, name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f.t, os.WriteFile(path, []byte(content), 0o600))
}

func (f fake) remove(name string) { require.NoError(f.t, os.RemoveAll(filepath.Join(f.root, name))) }

func TestFakeTree(t *testing.T) {
	f := newFake(t)
	self, err := f.Self()
	require.NoError(t, err)
	require.Equal(t, newIdentity(int64(os.Getpid()), Digest("io-boot", fakeBoot), "777"), self.Identity)
	status, why := f.Status(self.Identity, 0)
	require.Equal(t, Live, status, why)
	ns, err := f.Namespaces()
	require.NoError(t, err)
	ns.InitInode = 0 // this is asked of the real kernel
	require.Zero(t, ns, "a kernel without namespaces")

	pid := itoa(self.PID)
	f.write(pid+"/status", "Name:\tx\nGroups:\t"+strings.Repeat("1000 ", 10000)+"\nNSpid:\t"+pid+"\n")
	_, err = f.Self()
	require.NoError(t, err, "a long list of groups")

	f.pin = func(int64) (*Pidfd, error) { return nil, ErrUnsupported }
	old, err := f.Self()
	require.NoError(t, err)
	require.Equal(t, Process{self.Identity, 0}, old, "a kernel without pidfds")
}

func TestFakeTreeSpoiled(t *testing.T) {
	pid := itoa(int64(os.Getpid()))
	for name, spoil := range map[string]func(f *fake){
		"boot id empty":          func(f *fake) { f.write(bootFile, "\n") },
		"boot id short":          func(f *fake) { f.write(bootFile, fakeBoot[1:]) },
		"boot id long":           func(f *fake) { f.write(bootFile, fakeBoot+"0") },
		"boot id two lines":      func(f *fake) { f.write(bootFile, fakeBoot+"\n"+fakeBoot) },
		"boot id no hex":         func(f *fake) { f.write(bootFile, strings.Repeat("x", 36)) },
		"boot id missing":        func(f *fake) { f.remove(bootFile) },
		"boot id endless":        func(f *fake) { f.write(bootFile, strings.Repeat(" ", maxFile)+fakeBoot) },
		"boot id a symlink":      func(f *fake) { f.write("uuid", fakeBoot); f.link(bootFile, filepath.Join(f.root, "uuid")) },
		"boot id a pipe":         func(f *fake) { f.pipe(bootFile) },
		"self of another":        func(f *fake) { f.write("1/status", "NSpid:\t1\n"); f.link("self", "1") },
		"self missing":           func(f *fake) { f.remove("self") },
		"of enclosing namespace": func(f *fake) { f.write(pid+"/status", "NSpid:\t"+pid+"\t1\n") },
		"status missing":         func(f *fake) { f.remove(pid + "/status") },
		"not procfs":             func(f *fake) { f.magic = unix.PROC_SUPER_MAGIC },
		"nothing there":          func(f *fake) { f.root += "/nothing" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			self, err := f.Self()
			require.NoError(t, err)
			spoil(&f)
			_, err = f.Self()
			require.ErrorIs(t, err, ErrNoIdentity)
			require.NotContains(t, err.Error(), "\n")
			_, err = f.Boot()
			require.ErrorIs(t, err, ErrNoIdentity)
			status, why := f.Status(self.Identity, self.Inode)
			require.Equal(t, Unknown, status, why)
		})
	}
}

func (f *fake) link(name, target string) {
	f.remove(name)
	require.NoError(f.t, os.Symlink(target, filepath.Join(f.root, name)))
}

func (f *fake) pipe(name string) {
	f.remove(name)
	require.NoError(f.t, unix.Mkfifo(filepath.Join(f.root, name), 0o600))
}

func TestStatSpoiled(t *testing.T) {
	pid := itoa(int64(os.Getpid()))
	for name, content := range map[string]string{
		"empty":        "",
		"no name":      pid + " S 1 1",
		"torn":         pid + fakeStat[:20],
		"of another":   "1" + pid + fakeStat,
		"no number":    pid + strings.Replace(fakeStat, "777", "7x7", 1),
		"negative":     pid + strings.Replace(fakeStat, "777", "-77", 1),
		"state of two": pid + strings.Replace(fakeStat, ") S ", ") SZ ", 1),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			self, err := f.Self()
			require.NoError(t, err)
			f.write(pid+"/stat", content)
			_, err = f.Self()
			require.ErrorIs(t, err, ErrNoIdentity)
			_, err = f.Lookup(self.PID)
			require.ErrorIs(t, err, ErrNoIdentity)
			status, why := f.Status(self.Identity, 0)
			require.Equal(t, Unknown, status, why)
		})
	}
}

func FuzzParseStat(f *testing.F) {
	for _, name := range []string{"x", ") Z 1", "(", "\n)", ""} {
		f.Add([]byte(name))
	}
	f.Fuzz(func(t *testing.T, name []byte) {
		content := append(append([]byte("12 ("), name...), fakeStat[6:]...)
		s, err := parseStat(content, 12)
		require.NoError(t, err)
		require.Equal(t, stat{state: 'S', start: "777"}, s)
		_, _ = parseStat(name, 12) // whatever it is, no panic
	})
}
