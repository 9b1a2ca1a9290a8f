package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"containlease/persist"
)

// quarantineNames bounds how many things of one name are kept.
const quarantineNames = 1000

// Quarantine moves what lies in leases/ under a key, whatever it is, to quarantine/, untouched, and returns its path
// there, relative to the home. key is Entry.Key as List gave it, for records and for foreign names. The caller holds the
// catalogue lock exclusively, and the liveness lock where there is one, and has written the reason to the audit log.
// persist.ErrNotExist; ErrName for the store's own spares.
//
// settle makes the move durable, persist.ErrNotDurable where it fails, and is called without the catalogue lock; it is nil
// where nothing was moved.
func (h *Home) Quarantine(key string) (path string, settle func() error, err error) {
	name, err := storedName(key)
	if err != nil {
		return "", nil, err
	}
	if err := errors.Join(h.leases.check(), h.quarantined.check()); err != nil {
		return "", nil, err
	}
	to, from := h.quarantined.doubts.Load(), h.leases.doubts.Load()
	as := name
	for n := 1; ; n++ {
		err = h.sys.Move(h.leases.fd, name, h.quarantined.fd, as)
		if !errors.Is(err, fs.ErrExist) || n == quarantineNames {
			break
		}
		as = name + "." + strconv.Itoa(n)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%s: %w", h.leases.join(printable(name)), persist.ErrNotExist)
	} else if err != nil {
		return "", nil, h.leases.failed("quarantine", printable(name), err)
	}
	return quarantineDir + "/" + as, func() error {
		// The new name first: a power loss between the syncs leaves two names rather than none.
		if err := h.quarantined.settle(to); err != nil {
			return err
		}
		return h.leases.settle(from)
	}, nil
}

// storedName is the name of the file that List shows as key.
func storedName(key string) (string, error) {
	name := key
	if isKey(key) {
		name = recordFile(key)
	} else if len(key) > 0 && key[0] == '"' {
		var err error
		if name, err = strconv.Unquote(key); err != nil {
			return "", fmt.Errorf("%w: %q", ErrName, key)
		}
	}
	_, ours := helperKey(name)
	if ours || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return "", fmt.Errorf("%w: %q", ErrName, key)
	}
	return name, nil
}
