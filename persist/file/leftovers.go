package file

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Leftover is a file of owners/ whose lease does not exist and whose liveness lock nobody is known to hold.
type Leftover struct {
	Path string // absolute
	Err  error  // why it cannot be told whether the owner has ended, so that no Sweep touches it; nil: it has
}

// Leftovers lists what a Sweep would find in owners/, in the order of the names, and what it would leave alone because the lock could
// not be probed. It takes no lock and writes nothing. keys are the leases that exist, listed before: who ends in between is not
// taken for a leftover.
func (h *Home) Leftovers(ctx context.Context, keys []string) (left []Leftover, err error) {
	names, err := h.sys.Names(h.owners.fd)
	if err != nil {
		return nil, h.owners.failed("list", ".", err)
	}
	alive := make(map[string]bool, len(keys))
	for _, key := range keys {
		alive[key] = true
	}
	slices.Sort(names)
	for _, name := range names {
		key, ours := ownerKey(name)
		if !ours || alive[key] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		holding, perr := h.Probe(key)
		if perr == nil && holding == Held {
			continue
		}
		// A release holds the lock until its last file is gone.
		if _, err := h.sys.Lstat(h.owners.fd, name); !errors.Is(err, fs.ErrNotExist) {
			left = append(left, Leftover{h.owners.join(name), perr})
		}
	}
	return left, nil
}
