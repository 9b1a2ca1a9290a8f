package host_test

import (
	"errors"
	"fmt"
	"testing"

	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func init() { roles["exhausted"] = exhausted }

// exhausted asks for a boundary with ever more descriptors to be had, and says what it got.
func exhausted() error {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		return err
	}
	words := map[string]int{}
	_, failed := host.Choose() // the run-time has what it needs itself
	for most := range uint64(24) {
		failed = errors.Join(failed, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: most, Max: before.Max}))
		choice, err := host.Choose()
		word := choice.Kind
		if errors.Is(err, unix.EMFILE) {
			word = "too few"
		} else if err != nil {
			failed = errors.Join(failed, err)
		}
		words[word]++
	}
	failed = errors.Join(failed, unix.Setrlimit(unix.RLIMIT_NOFILE, &before))
	fmt.Println(words)
	return failed
}

// What has run out just now is no reason to take a weaker boundary.
func TestNoWeakerBoundaryForWantOfDescriptors(t *testing.T) {
	available(t, "cgroup-v2")
	got := output(t, as("exhausted"))
	require.Regexp(t, `^map\[cgroup-v2:\d+ too few:\d+\]\n$`, got)
}
