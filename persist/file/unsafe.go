package file

import (
	"fmt"
	"io/fs"
)

// Flaw says what is wrong with a path of a home. The words are published: programs may switch on them.
type Flaw string

// The flaws, and what of Found and Wanted they are about.
const (
	WrongMode     Flaw = "mode"            // Mode
	WrongOwner    Flaw = "owner"           // UID
	Linked        Flaw = "link"            // Found.Target
	NotADirectory Flaw = "not-a-directory" // Mode
	NotALockFile  Flaw = "not-a-lock-file" // the rest of what was found is in Detail
	PartMissing   Flaw = "missing"         // nothing was found
	ParentMode    Flaw = "parent-mode"     // Mode: of a directory above the home, see TrustParents
	ParentOwner   Flaw = "parent-owner"    // UID: of a directory above the home, or of a link on the way there
)

// Look is what was found at a path, or what has to be there.
type Look struct {
	Mode   fs.FileMode
	UID    uint32
	Inode  uint64 // 0: it may be any
	Target string // where a symbolic link leads in the end; "" where that cannot be told
}

// UnsafeError is a directory or a lock file that others could read or change, or that is not what it should be. It is data:
// what to type against it is for a program to say that knows its users. Where Found.Inode is not 0 the path was seen to be
// of a home, and no other file with its name is meant.
type UnsafeError struct {
	Path   string // absolute
	Flaw   Flaw
	Found  Look
	Wanted Look
	Detail string // what else was found, for people
}

func (e *UnsafeError) Error() string { return e.Path + " is refused: " + e.words() }

func (e *UnsafeError) words() string {
	switch e.Flaw {
	case WrongMode:
		return fmt.Sprintf("its mode is %s and has to be %s: a lease that others can change proves nothing",
			octal(e.Found.Mode), octal(e.Wanted.Mode))
	case WrongOwner:
		return fmt.Sprintf("it belongs to user %d and you are user %d: use it as that user, or have a home of your own",
			e.Found.UID, e.Wanted.UID)
	case Linked:
		return e.linkWords()
	case NotADirectory:
		return "it is " + kindName(e.Found.Mode) + ", not a directory"
	case PartMissing:
		return "it is missing in a home that had it: put it back from where it was taken"
	case ParentMode:
		return fmt.Sprintf("its mode is %s, so that others can put another home in the place of the one below it: "+
			"take their right to write away, or vouch for the directories above the home", octal(e.Found.Mode))
	case ParentOwner:
		return fmt.Sprintf("it belongs to user %d, who can put another home in the place of the one below it: "+
			"choose another place, or vouch for the directories above the home", e.Found.UID)
	}
	return e.Detail
}

// linkWords never have anybody take a directory out of sight that may hold leases.
func (e *UnsafeError) linkWords() string {
	if e.Found.Target == "" {
		return "it is a symbolic link that cannot be followed: put the directory itself in its place"
	}
	return fmt.Sprintf("it is a symbolic link to %s, and leases lie there: name the home by its real place, "+
		"or put that directory itself in the place of the link", e.Found.Target)
}

// Is makes every UnsafeError an ErrUnsafe.
func (e *UnsafeError) Is(target error) bool { return target == ErrUnsafe }
