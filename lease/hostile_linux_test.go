package lease_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// watch fails the program with all stacks if something blocks for ever.
func watch(t *testing.T) {
	timer := time.AfterFunc(time.Minute, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}

// hostile puts something in a lease's place.
var hostile = map[string]func(path string) error{
	"symbolic link": func(path string) error { return os.Symlink("/etc/hostname", path) },
	"FIFO":          func(path string) error { return unix.Mkfifo(path, 0o600) },
	"directory":     func(path string) error { return os.Mkdir(path, 0o700) },
	"device":        func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) },
	"mode 0666": func(path string) error {
		return os.WriteFile(path, []byte("{}"), 0o666)
	},
	"hard link": func(path string) error {
		elsewhere := filepath.Join(filepath.Dir(path), "..", "..", "elsewhere")
		if err := os.WriteFile(elsewhere, []byte("{}"), 0o600); err != nil {
			return err
		}
		return os.Link(elsewhere, path)
	},
	"1 TiB": func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 1<<40)
	},
	"other owner": func(path string) error {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			return err
		}
		return os.Lchown(path, 12345, 12345)
	},
	"socket": func(path string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
}

func TestHostileInALeasesPlace(t *testing.T) {
	unix.Umask(0)
	defer unix.Umask(0o022)
	for what, make := range hostile {
		t.Run(what, func(t *testing.T) {
			if os.Geteuid() != 0 && (what == "device" || what == "other owner") {
				t.Skip("SKIPPED: only root can make one")
			}
			watch(t)
			dir, err := os.MkdirTemp("", "hostile-") // short enough for a socket's address
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			reg, err := lease.Open(t.Context(), filepath.Join(dir, "h"))
			require.NoError(t, err)
			defer reg.Close()
			mine := acquire(t, reg, "mine")
			id := uuid.NewString()
			path := filepath.Join(reg.Dir(), "leases", id+".json")
			require.NoError(t, make(path))
			found := map[string]verdict.Outcome{}
			for i, err := range reg.List(t.Context()) {
				require.NoError(t, err)
				found[i.ID] = i.Verdict.Outcome
			}
			require.Equal(t, map[string]verdict.Outcome{mine.ID(): verdict.Active, id: verdict.Malformed}, found, "the others are still listed")
			i, err := reg.Inspect(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, verdict.Malformed, i.Verdict.Outcome)
			for range 2 {
				_, err = reg.Acquire(t.Context(), operationOf("other"), "")
				require.ErrorIs(t, err, lease.ErrBlocked)
			}
			rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
			require.NoError(t, err)
			require.Len(t, rows, 2)
			_, err = os.Lstat(path)
			require.NoError(t, err, "the doctor does not touch it")
			release(t, mine) // a lease at work is not disturbed
			require.NoError(t, os.RemoveAll(path))
			release(t, acquire(t, reg, "other"))
		})
	}
}

func TestStrangeNamesBlockNobody(t *testing.T) {
	watch(t)
	reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	defer reg.Close()
	for _, name := range []string{"\x1b[31mred", "not UTF-8 \xff\xfe", "line\nfeed", uuid.NewString() + ".JSON"} {
		require.NoError(t, os.WriteFile(filepath.Join(reg.Dir(), "leases", name), nil, 0o600))
	}
	h := acquire(t, reg, "mine")
	foreign := 0
	for i, err := range reg.List(t.Context()) {
		require.NoError(t, err)
		if i.Foreign {
			foreign++
			require.NotContains(t, i.ID+fmt.Sprint(i.Problem), "\x1b")
			require.NotContains(t, i.ID, "\n")
		}
	}
	require.Equal(t, 4, foreign)
	release(t, h)
}

// What has the name of a leftover and cannot be removed is told, and blocks nobody; what can be removed beside it goes.
func TestLeftoverThatCannotBeRemoved(t *testing.T) {
	for _, name := range []string{
		"leases/.%s.spare", "leases/.%s.next", "owners/%s.json", "owners/%s.json.next", "owners/%s.empty", "owners/%s.lock",
	} {
		t.Run(fmt.Sprintf(name, "ID"), func(t *testing.T) {
			watch(t)
			var noted []error
			reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"), lease.WithObserver(func(o lease.Observation) {
				if o.Kind == lease.Noted {
					noted = append(noted, o.Err)
				}
			}))
			require.NoError(t, err)
			defer reg.Close()
			stuck := filepath.Join(reg.Dir(), fmt.Sprintf(name, uuid.NewString()))
			require.NoError(t, os.Mkdir(stuck, 0o700))
			for _, plugin := range []string{"mine", "other"} {
				leftover := filepath.Join(reg.Dir(), "owners", uuid.NewString()+".json")
				require.NoError(t, os.WriteFile(leftover, []byte("{}"), 0o600))
				release(t, acquire(t, reg, plugin))
				require.NoFileExists(t, leftover)
			}
			require.DirExists(t, stuck)
			if filepath.Ext(stuck) == ".lock" {
				require.Empty(t, noted, "whether its owner lives cannot be told")
				return
			}
			require.NotEmpty(t, noted)
			var left *file.LeftoversError
			require.ErrorAs(t, noted[0], &left)
			require.ErrorContains(t, left, stuck)
		})
	}
}

// A sweep that cannot look, or whose time is over, refuses the acquire as before.
func TestSweepThatDoesNotCome(t *testing.T) {
	p := memory.NewDisk().Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	reg, err := lease.New(home.Store(), home, lease.WithInspector(newWorld()))
	require.NoError(t, err)
	defer reg.Close()
	listings := 0
	p.Watch(func(c memory.Call) error {
		if c.Op == "Names" {
			if listings++; listings > 1 { // the first one is the keys'
				return unix.EIO
			}
		}
		return nil
	})
	_, err = reg.Acquire(t.Context(), identityOf("acme"), "")
	require.ErrorIs(t, err, unix.EIO)
}

// A directory of the home that is replaced midway is reported, and nothing is ever written beside it.
func TestDirectoryReplacedMidway(t *testing.T) {
	for _, part := range []string{"leases", "owners", "."} {
		t.Run(part, func(t *testing.T) {
			watch(t)
			dir := filepath.Join(t.TempDir(), "home")
			reg, err := lease.Open(t.Context(), dir)
			require.NoError(t, err)
			defer reg.Close()
			h := acquire(t, reg, "mine")
			victim := filepath.Join(dir, part)
			require.NoError(t, os.Rename(victim, victim+".aside"))
			require.NoError(t, os.Mkdir(victim, 0o700))
			if part == "." {
				for _, d := range []string{"leases", "owners", "plugins", "quarantine"} {
					require.NoError(t, os.Mkdir(filepath.Join(dir, d), 0o700))
				}
			}
			require.Error(t, h.Event(t.Context(), fsm.CleanupComplete))
			require.Equal(t, fsm.StateParentOwned, h.State())
			_, err = reg.Acquire(t.Context(), operationOf("other"), "")
			require.ErrorIs(t, err, file.ErrHomeReplaced)
			for _, d := range []string{"leases", "owners"} {
				if part == d || part == "." {
					entries, err := os.ReadDir(filepath.Join(dir, d))
					require.NoError(t, err)
					require.Empty(t, entries, "written beside")
				}
			}
		})
	}
}
