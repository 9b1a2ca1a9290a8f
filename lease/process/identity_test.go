package process

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The digests were made with: printf 'kind\0text' | sha256sum
func TestDigest(t *testing.T) {
	const boot = "60d928ec3d70d58d5de5fd2616d1fbdf34e2e6e654abf414556a7e8e07c38f46"
	for _, c := range []struct{ name, kind, text, want string }{
		{"boot", "io-boot", "c8dbcc89-826d-447f-8151-cd7e09881349", boot},
		{"start", "io-process-start", boot + "\x0012345", "4cb5b36edd089ea94b509a47e253db1560e5f0b25462d537e08378131110cab0"},
		{"empty text", "io-boot", "", "6773fc089887a9656f28bc10014c730f312bac5a65b115e88e991bf1fface453"},
		{"NUL in text", "k", "a\x00b", "891ff25f98e2f00a6c9009aed968117dea87e9cfcf8f642c9f02bd9a4f5998d1"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Digest(c.kind, c.text)) })
	}
	id := newIdentity(7, boot, "12345")
	require.Equal(t, Identity{7, boot, Digest("io-process-start", boot+"\x0012345")}, id)
}

func TestFlawedIdentityIsUnknown(t *testing.T) {
	good := newIdentity(1, Digest("io-boot", "another boot"), "1")
	require.Empty(t, good.flaw())
	for name, spoil := range map[string]func(*Identity){
		"zero":               func(id *Identity) { *id = Identity{} },
		"pid zero":           func(id *Identity) { id.PID = 0 },
		"pid of a group":     func(id *Identity) { id.PID = -1 },
		"no boot id":         func(id *Identity) { id.BootID = "" },
		"upper-case boot id": func(id *Identity) { id.BootID = strings.ToUpper(id.BootID) },
		"short start id":     func(id *Identity) { id.StartID = id.StartID[1:] },
		"long start id":      func(id *Identity) { id.StartID += "0" },
		"digits of no hex":   func(id *Identity) { id.StartID = strings.Repeat("g", 64) },
	} {
		t.Run(name, func(t *testing.T) {
			id := good
			spoil(&id)
			status, why := New().Status(id, 1)
			require.Equal(t, Unknown, status)
			require.NotEmpty(t, why)
		})
	}
}

func TestStatusNames(t *testing.T) {
	var zero Status
	require.Equal(t, "unknown", zero.String())
	require.Equal(t, "live", Live.String())
	require.Equal(t, "dead", Dead.String())
	require.Equal(t, "Status(9)", Status(9).String())
}

func TestUnsupportedIsTheStandardOne(t *testing.T) {
	require.ErrorIs(t, ErrUnsupported, errors.ErrUnsupported)
}
