package file

import "context"

// Sweep removes what crashes left behind: files of owners/ and spares whose lease does not exist and whose liveness
// lock is free or missing. Never by age, and nothing with a name that is not ours. The caller holds the catalogue lock
// exclusively. It returns the paths that it removed, relative to the home; nothing is synced, for what comes back after a
// power loss is swept again. Two listings are all it costs when there is nothing to do.
func (h *Home) Sweep(ctx context.Context) (removed []string, err error) {
	leases, err := h.sys.Names(h.leases.fd)
	if err != nil {
		return nil, h.leases.failed("list", ".", err)
	}
	alive := make(map[string]bool, len(leases))
	for _, name := range leases {
		if key, ok := recordKey(name); ok {
			alive[key] = true
		}
	}
	exists := func(key string) bool { return alive[key] }
	if removed, err = h.sweep(ctx, h.leases, leasesDir, leases, helperKey, exists); err != nil {
		return removed, err
	}
	owners, err := h.SweepOwners(ctx, exists)
	return append(removed, owners...), err
}

// SweepOwners is the half of Sweep that a home needs whose leases are kept elsewhere: exists says which there are. Wrongly
// false, it costs the proof of what became of that lease.
func (h *Home) SweepOwners(ctx context.Context, exists func(key string) bool) (removed []string, err error) {
	owners, err := h.sys.Names(h.owners.fd)
	if err != nil {
		return nil, h.owners.failed("list", ".", err)
	}
	return h.sweep(ctx, h.owners, ownersDir, owners, ownerKey, exists)
}

func (h *Home) sweep(ctx context.Context, d *dir, folder string, names []string, keyOf func(string) (string, bool),
	exists func(key string) bool) (removed []string, err error) {
	for _, name := range names {
		key, ours := keyOf(name)
		if !ours || exists(key) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		// Not known counts as held.
		if holding, err := h.Probe(key); err != nil || holding == Held {
			continue
		}
		if err := d.unlink(name); err != nil {
			return removed, err
		}
		removed = append(removed, folder+"/"+name)
	}
	return removed, nil
}
