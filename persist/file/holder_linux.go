package file

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockHolder finds a process that has a flock on the file, or returns 0. A line of /proc/locks is
// "1: FLOCK ADVISORY WRITE <pid> <major>:<minor>:<inode> 0 EOF"; a waiter has "->" in its second field.
func lockHolder(id inode) int {
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer f.Close()
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(id.Dev), unix.Minor(id.Dev), id.Ino)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		field := strings.Fields(lines.Text())
		if len(field) < 6 || field[1] != "FLOCK" || field[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(field[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
