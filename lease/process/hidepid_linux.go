package process

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// hides reports whether this mount of procfs is known to hide processes from the caller: who may trace
// everybody sees everybody. Kernels before 5.8 do not say which mount it is.
func (p *procfs) hides() bool {
	var st unix.Statx_t
	err := unix.Statx(p.dir, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st)
	if err != nil || st.Mask&unix.STATX_MNT_ID == 0 || mayTrace() {
		return false
	}
	table, err := p.read("self/mountinfo")
	return err == nil && hidingMount(string(table), st.Mnt_id)
}

// hidingMount finds the mount in mountinfo and asks its options, which are the last word of its line.
func hidingMount(table string, id uint64) bool {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != strconv.FormatUint(id, 10) {
			continue
		}
		for option := range strings.SplitSeq(words[len(words)-1], ",") {
			switch option {
			case "hidepid=2", "hidepid=4", "hidepid=invisible", "hidepid=ptraceable":
				return true
			}
		}
	}
	return false
}

// mayTrace reports whether the caller has CAP_SYS_PTRACE, by which hidepid spares it.
func mayTrace() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SYS_PTRACE) != 0
}
