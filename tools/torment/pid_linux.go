package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// pidOf is the number of a pidfd's process as seen from here; -1 once it is buried.
func pidOf(pidfd int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(b)) {
		if n, ok := strings.CutPrefix(line, "Pid:"); ok {
			if pid, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
				return pid
			}
		}
	}
	return -1
}
