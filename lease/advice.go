package lease

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"containlease/gen/leasefile"
	"containlease/lease/verdict"
)

// Finding reports whether a doctor has something to say of it: it is no invocation at work, or it blocks its plugin although it is.
func (i Inspection) Finding() bool {
	return i.Verdict.Outcome != verdict.Active || i.Block() != verdict.Admitted
}

// Alive reports whether something of it is proved to be alive: its owner, its host, or somebody in its boundary. Not to know is
// not alive.
func (i Inspection) Alive() bool {
	f := i.Facts
	return i.Lease != nil && (f.Lock == verdict.LockHeld || f.Place != verdict.PlaceOther &&
		(f.Owner == verdict.Live || f.HostRecorded && f.Host == verdict.Live || f.BoundaryInhabited))
}

// advise puts names and numbers into what the verdict misses and recommends.
func (r *Registry) advise(i *Inspection) {
	fill := strings.NewReplacer(i.names()...)
	i.Verdict.Missing = slices.Clone(i.Verdict.Missing) // it is the ladder's own
	for n, want := range i.Verdict.Missing {
		i.Verdict.Missing[n] = fill.Replace(want)
	}
	s := fill.Replace(i.Verdict.Next)
	if r.opt.store != "" {
		s = "--store " + quote(r.opt.store) + " " + s
	}
	i.Next = "containlease --home " + quote(r.home.Dir()) + " " + s
	if i.Verdict.Stop != "" && !r.ours(i) {
		i.Next = fill.Replace(i.Verdict.Stop) + "; " + i.Next
	}
}

// ours reports whether this process is the owner: it ends by itself, and nobody has it type its own end.
func (r *Registry) ours(i *Inspection) bool {
	self, err := r.opt.inspector.Self()
	return err == nil && self.Identity == ownerIdentity(i.Lease.OwnedBy())
}

// names are what the placeholders of package verdict stand for here.
func (i *Inspection) names() []string {
	names := []string{"{lease}", quote(i.ID), "{digest}", i.digestWord()}
	if i.Lease == nil {
		return names
	}
	pid := func(n int64) string {
		if i.Facts.Place == verdict.PlaceOther {
			return fmt.Sprintf("%d of its own PID namespace", n)
		}
		return strconv.FormatInt(n, 10)
	}
	names = append(names, "{owner}", pid(i.Lease.OwnedBy().PID))
	if l, ok := i.Lease.(*leasefile.LeaseV2); ok && l.Containment.Host != nil {
		names = append(names, "{host}", pid(l.Containment.Host.PID))
	}
	if i.carrier != 0 {
		names = append(names, "{carrier}", strconv.FormatInt(i.carrier, 10))
	}
	if i.Evidence != nil {
		names = append(names, "{group}", quote(i.Evidence.Boundary.Path))
	}
	return names
}

// quote makes one word for a POSIX shell, and leaves alone what is one already.
func quote(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+:@%,=", c)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
