package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Kinds of Digest; they are part of the lease format.
const (
	kindBoot  = "io-boot"
	kindStart = "io-process-start"
)

// Identity names one process of one machine exactly, but for the reuse of a pid
// within one start tick. It survives exec, and neither name nor command line is
// part of it. Comparable: equal identities are the same process.
type Identity struct {
	PID     int64  // as seen in the PID namespace of whoever recorded it
	BootID  string // Digest of the boot text: 64 lower-case hex digits
	StartID string // Digest of BootID and the start text: 64 lower-case hex digits
}

// Digest is the lower-case hex sha256 of kind, a NUL byte and text, the one form
// in which a lease shows facts of the machine.
func Digest(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:])
}

func newIdentity(pid int64, bootID, start string) Identity {
	return Identity{PID: pid, BootID: bootID, StartID: startID(bootID, start)}
}

// startID binds the start to its boot: the same ticks of another boot are
// another process.
func startID(bootID, start string) string {
	return Digest(kindStart, bootID+"\x00"+start)
}

// flaw says why id can name no process, or nothing. A flawed identity was never
// written by an observer, so it proves nothing: without this check the zero
// Identity would pass for a process of another boot.
func (id Identity) flaw() string {
	switch {
	case id.PID < 1:
		return fmt.Sprintf("pid %d names no process", id.PID)
	case !isDigest(id.BootID):
		return "the recorded boot id is not a digest"
	case !isDigest(id.StartID):
		return "the recorded start id is not a digest"
	}
	return ""
}

func isDigest(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}
