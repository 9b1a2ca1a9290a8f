package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"containlease/persist/file"
)

// remedy is what a person may do about an unsafe home, to be added to the error. A command is among it only where it is about our
// own home for certain, and still is when it is typed later: it names the inode that was looked at, and does nothing to any other.
func remedy(err error) string {
	var bad *file.UnsafeError
	if !errors.As(err, &bad) {
		return ""
	}
	switch bad.Flaw {
	case file.WrongMode:
		if bad.Found.Inode != 0 {
			return fmt.Sprintf("\nPut it right with: find %s -prune -inum %d -exec chmod %s {} +",
				quote(bad.Path), bad.Found.Inode, chmodMode(bad))
		}
	case file.PartMissing:
		if filepath.Base(bad.Path) != "leases" { // without those nobody could say what still runs
			return "\nOnly if it is lost for good: mkdir -m 0700 " + quote(bad.Path)
		}
	case file.ParentMode, file.ParentOwner:
		return "\nTo vouch for them: --trust-parents, or " + envTrust + "=1 in the environment."
	}
	return ""
}

// chmodMode is the wanted mode as chmod takes it: only five digits take set-id bits off a directory.
func chmodMode(bad *file.UnsafeError) string {
	mode := fmt.Sprintf("%04o", bad.Wanted.Mode.Perm())
	if bad.Found.Mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0 {
		return "0" + mode
	}
	return mode
}
