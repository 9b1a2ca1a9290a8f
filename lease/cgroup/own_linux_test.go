package cgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwnGroupIsFoundInWhatIsMounted(t *testing.T) {
	const sysfs = "24 30 0:22 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
	for name, c := range map[string]struct{ self, table, want string }{
		"pure": {"0::/user.slice/user-1000.slice/session-2.scope\n",
			sysfs + "30 24 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
			"/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope"},
		"hybrid": {"12:pids:/user.slice\n1:name=systemd:/user.slice/a\n0::/user.slice/a\n",
			"31 30 0:28 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n" +
				"32 30 0:29 / /sys/fs/cgroup/systemd rw shared:11 - cgroup cgroup rw,name=systemd\n",
			"/sys/fs/cgroup/unified/user.slice/a"},
		"root group":                  {"0::/\n", "31 30 0:28 / /sys/fs/cgroup rw - cgroup2 none rw\n", "/sys/fs/cgroup"},
		"container with a namespace":  {"0::/\n", "31 30 0:28 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup"},
		"container, part of the tree": {"0::/docker/ab/x\n", "31 30 0:28 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup/x"},
		"a neighbour's part":          {"0::/docker/abc\n", "31 30 0:28 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n", ""},
		"below its namespace":         {"0::/../../other\n", "31 30 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", ""},
		"mounted from above":          {"0::/a\n", "31 30 0:28 /../.. /sys/fs/cgroup rw - cgroup2 cgroup rw\n", ""},
		"the second mount has it": {"0::/b/c\n", "31 30 0:28 /a /mnt/a rw - cgroup2 cgroup rw\n32 30 0:28 /b /mnt/b rw - cgroup2 cgroup rw\n",
			"/mnt/b/c"},
		"escaped":        {"0::/a b\n", `31 30 0:28 / /mnt/c\040d\134 rw - cgroup2 cgroup rw` + "\n", `/mnt/c d\/a b`},
		"not mounted":    {"0::/a\n", sysfs + "32 30 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup2 rw\n", ""},
		"no such kernel": {"2:pids:/a\n", "", ""},
		"torn":           {"0::/a\n", "31 30 0:28 / /sys/fs/cgroup\n - cgroup2 \n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if group, ok := membership(c.self); ok {
				for _, m := range mounts(c.table) {
					if dir, ok := m.reach(group); ok {
						got = dir
						break
					}
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestOnlyItsOwnWordSaysThatAGroupIsEmpty(t *testing.T) {
	for events, want := range map[string]struct{ some, fails bool }{
		"populated 0\nfrozen 0\n": {},
		"frozen 1\npopulated 0\n": {},
		"populated 1\nfrozen 0\n": {some: true},
		"":                        {true, true},
		"frozen 0\n":              {true, true},
		"populated\n":             {true, true},
		"populated 2\n":           {true, true},
		"unpopulated 0\n":         {true, true},
	} {
		some, err := populated([]byte(events))
		require.Equal(t, want.some, some, "%q", events)
		require.Equal(t, want.fails, err != nil, "%q", events)
	}
}
