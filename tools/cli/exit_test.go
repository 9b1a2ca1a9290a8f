package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/wire"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

func TestCodeOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{usagef("a flag"), 64},
		{&wire.DecodeError{Code: wire.Syntax}, 65},
		{lease.ErrInvalid, 65},
		{file.ErrNoHome, 66},
		{lease.ErrNotExist, 66},
		{&ended{code: 69}, 69},
		{errPanic, 70},
		{&fsm.TransitionError{}, 70},
		{host.ErrNoGate, 70},
		{io.ErrUnexpectedEOF, 74},
		{lease.ErrUnsettled, 74},
		{lease.ErrNotDurable, 74},
		{&lease.BlockedError{Block: verdict.BlockedExclusive}, 75},
		{context.DeadlineExceeded, 75},
		{&lease.BlockedError{Block: verdict.BlockedUnverifiable}, 76},
		{errors.Join(host.ErrUnsafe, lease.ErrUnsettled), 76},
		{&file.UnsafeError{}, 77},
		{lease.ErrNotActive, 77},
		{&lease.DecisionError{Err: lease.ErrInUse}, 75},
		{&lease.DecisionError{Err: lease.ErrOtherDigest}, 66},
		{&lease.DecisionError{Err: lease.ErrNotForThis}, 64},
		{lease.ErrOtherHome, 77},
		{lease.ErrReadOnly, 77},
		{fs.ErrPermission, 77},
		{lease.ErrNoIdentity, 78},
		{host.ErrUnsupported, 78},
		// The particular before the general: a refusal for lack of rights is not "no such file", nor the other way round.
		{fmt.Errorf("%w: %w", file.ErrNoHome, os.ErrNotExist), 66},
		{fmt.Errorf("%w: %w", lease.ErrInvalid, os.ErrNotExist), 65},
	} {
		t.Run(fmt.Sprint(c.err), func(t *testing.T) {
			require.Equal(t, c.code, codeOf(c.err))
			if c.err != nil {
				require.Equal(t, c.code, codeOf(fmt.Errorf("wrapped: %w", c.err)))
			}
		})
	}
}

func TestEveryCodeIsPublishedOnce(t *testing.T) {
	seen := map[int]bool{}
	for _, e := range Exits {
		require.False(t, seen[e.Code], "%d is there twice", e.Code)
		seen[e.Code] = true
		require.Contains(t, exitTopic(), fmt.Sprintf("%3d  %s", e.Code, e.Name))
		require.Equal(t, e.Name, nameOf(e.Code))
	}
	for _, c := range classes {
		require.True(t, seen[c.code], "%v has the unpublished code %d", c.is, c.code)
	}
	require.True(t, seen[exitIO])
	require.True(t, seen[exitFindings])
}

func TestDoTurnsAPanicIntoItsCode(t *testing.T) {
	var stderr strings.Builder
	require.Equal(t, exitBug, Do([]string{"version"}, nil, panicking{}, &stderr))
	require.Contains(t, stderr.String(), "bug: on purpose")
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("on purpose") }

func TestDoReportsAResultThatCouldNotBeWritten(t *testing.T) {
	var stderr strings.Builder
	require.Equal(t, exitIO, Do([]string{"version"}, nil, full{}, &stderr))
	require.Contains(t, stderr.String(), "writing the result: no space")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }
