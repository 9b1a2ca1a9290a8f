package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"containlease/persist/internal/disk"

	"golang.org/x/sys/unix"
)

// Filesystem asks both the mount and statfs. What the mount does not tell is not known, and no error.
func (kernel) Filesystem(fd int) (filesystem, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return filesystem{}, err
	}
	kind, err := mountType(fd)
	return groundOf(kind, err, uint32(st.Type)), nil
}

// groundOf is the one rule: both answers are needed, and agree.
func groundOf(kind string, err error, magic uint32) filesystem {
	said := "0x" + strconv.FormatUint(uint64(magic), 16)
	g, listed := linuxGrounds[kind]
	switch {
	case err != nil:
		return filesystem{Name: fmt.Sprintf("a mount that is not known (%v; statfs says %s)", err, said), Cuts: disk.CutsUntried}
	case !listed:
		return filesystem{Name: kind, Cuts: disk.CutsUntried}
	case g.magic != magic:
		return filesystem{Name: fmt.Sprintf("%s that statfs takes for %s", kind, said), Cuts: disk.CutsUntried}
	}
	g.is.Name, g.is.Known = kind, true
	return g.is
}

// mountType is the type of the file system that fd's mount shows, as this process's list of mounts has it.
func mountType(fd int) (string, error) {
	id, err := mountID(fd)
	if err != nil {
		return "", err
	}
	mounts, err := readProc("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	return typeOfMount(mounts, id)
}

// typeOfMount finds a mount in a list as proc(5) has it: the id is the first field, the type the first after a lone dash.
func typeOfMount(mounts []byte, id string) (string, error) {
	for line := range bytes.Lines(mounts) {
		if first, rest, _ := strings.Cut(string(line), " "); first == id {
			_, after, _ := strings.Cut(rest, " - ")
			if fields := strings.Fields(after); len(fields) >= 2 && strings.HasSuffix(rest, "\n") {
				return fields[0], nil
			}
			return "", errors.New("its line in the list of mounts cannot be read")
		}
	}
	return "", errors.New("it is not in the list of mounts")
}

// mountID is the number of fd's mount, which nobody else gets while fd is open.
func mountID(fd int) (string, error) {
	var st unix.Statx_t
	err := retry(func() error { return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st) })
	if err == nil && st.Mask&unix.STATX_MNT_ID != 0 {
		return strconv.FormatUint(st.Mnt_id, 10), nil
	}
	about, err := readProc("/proc/self/fdinfo/" + strconv.Itoa(fd)) // before Linux 5.8
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(about)) {
		if id, ok := strings.CutPrefix(line, "mnt_id:"); ok {
			return strings.TrimSpace(id), nil
		}
	}
	return "", errors.New("the system does not say which mount it is on")
}

// readProc reads a file of procfs, and of nothing that lies in its place. The runtime's poller has no
// part in it, or a kernel that answers EAGAIN once would be waited for without end.
func readProc(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(int(f.Fd()), &st) }); err != nil {
		return nil, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	if st.Type != unix.PROC_SUPER_MAGIC {
		return nil, fmt.Errorf("%s is not of procfs", path)
	}
	return io.ReadAll(f)
}

// Born asks for the time at which the inode was made. Filters that do not know the call refuse it.
func (kernel) Born(fd int) (int64, error) {
	var st unix.Statx_t
	err := retry(func() error { return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st) })
	switch {
	case err == unix.ENOSYS || err == unix.EPERM:
		return 0, errors.ErrUnsupported
	case err != nil:
		return 0, err
	case st.Mask&unix.STATX_BTIME == 0 || st.Btime.Sec <= 0:
		return 0, errors.ErrUnsupported
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec), nil
}

// outsider tells whether uid is nobody in this user namespace: the number that the kernel shows for every user who has none here,
// root outside among them. Where everybody has a number it is a user like others.
func outsider(uid uint32) bool {
	over, err := readProc("/proc/sys/kernel/overflowuid")
	if err != nil || strings.TrimSpace(string(over)) != strconv.FormatUint(uint64(uid), 10) {
		return false
	}
	mapped, err := readProc("/proc/self/uid_map")
	fields := strings.Fields(string(mapped))
	return err == nil && len(fields) >= 3 && !(fields[0] == "0" && fields[2] == "4294967295")
}
