package process

import (
	"strings"

	"golang.org/x/sys/unix"
)

// boot uses the boot session, not kern.boottime: that moves with the clock.
func boot() (string, error) {
	session, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", noIdentity("kern.bootsessionuuid: %w", err)
	}
	if session == "" {
		return "", noIdentity("kern.bootsessionuuid is empty")
	}
	return Digest(kindBoot, strings.ToLower(session)), nil
}
