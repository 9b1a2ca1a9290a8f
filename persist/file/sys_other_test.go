//go:build !linux && !darwin && !freebsd

package file

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = Create(dir, AllowAnyFilesystem())
	require.ErrorIs(t, err, ErrUnsupported)
}
