package cgroup

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Own returns the directory of the group that the caller is in. ErrUnavailable where the unified hierarchy is not
// mounted, or not so that the caller's own group can be reached.
func Own() (string, error) {
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	group, ok := membership(string(self))
	if !ok {
		return "", fmt.Errorf("%w: the kernel has no unified hierarchy (cgroup v2)", ErrUnavailable)
	}
	all, err := mounted()
	if err != nil {
		return "", err
	}
	for _, m := range all {
		// Something else may be mounted above it.
		if dir, ok := m.reach(group); ok && isUnified(dir) {
			return dir, nil
		}
	}
	if len(all) > 0 {
		return "", fmt.Errorf("%w: our own control group %s is outside of what is mounted", ErrUnavailable, group)
	}
	return "", fmt.Errorf("%w: the unified hierarchy (cgroup v2) is not mounted", ErrUnavailable)
}

// membership takes the path of the unified hierarchy out of /proc/self/cgroup: the line 0::PATH.
func membership(self string) (group string, ok bool) {
	for line := range strings.Lines(self) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n"), true
		}
	}
	return "", false
}

// mount is a mount of the unified hierarchy: which group of it lies at which directory.
type mount struct{ root, point string }

// mounted returns the mounts of the unified hierarchy. The runtime's poller has no part in it, or a
// kernel that answers EAGAIN once would be waited for without end. ErrUnavailable: it cannot be told.
func mounted() ([]mount, error) {
	const path = "/proc/self/mountinfo"
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, &os.PathError{Op: "open", Path: path, Err: err})
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	table, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return mounts(string(table)), nil
}

// mounts takes them out of mountinfo. Its fields are separated by blanks; after the sixth come optional ones up to a
// hyphen, and then the type of the file system.
func mounts(table string) (out []mount) {
	for line := range strings.Lines(table) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if ok && len(fields) >= 6 && strings.HasPrefix(after, "cgroup2 ") {
			out = append(out, mount{root: unescape(fields[3]), point: unescape(fields[4])})
		}
	}
	return out
}

// reach returns the directory of a group that the mount shows. A path with dots is outside of our cgroup namespace.
func (m mount) reach(group string) (dir string, ok bool) {
	if strings.HasPrefix(group, "/..") || strings.HasPrefix(m.root, "/..") {
		return "", false
	}
	rest, ok := strings.CutPrefix(group+"/", strings.TrimSuffix(m.root, "/")+"/")
	return filepath.Join(m.point, rest), ok
}

// unescape undoes mountinfo's octal escapes of blank, tab, newline and backslash.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

func isUnified(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC
}

// populated reads the one word that counts in cgroup.events.
func populated(events []byte) (bool, error) {
	for line := range bytes.Lines(events) {
		switch string(bytes.TrimSpace(line)) {
		case "populated 0":
			return false, nil
		case "populated 1":
			return true, nil
		}
	}
	return true, fmt.Errorf("cgroup.events says nothing of populated: %q", events)
}
