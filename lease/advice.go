package lease

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"containlease/lease/verdict"
)

// Finding reports whether a doctor has something to say of it: it is no invocation at work, or it blocks its plugin although it is.
func (i Inspection) Finding() bool {
	return i.Verdict.Outcome != verdict.Active || i.Block() != verdict.Admitted
}

// Alive reports whether something of it is proved to be alive: its owner, its host, somebody in its boundary, or by the mark. Not
// to know is not alive.
func (i Inspection) Alive() bool {
	f := i.Facts
	return i.remains() || i.Lease != nil && (f.Lock == verdict.LockHeld || f.Owner == verdict.Live)
}

// remains reports whether something beside the owner is seen alive.
func (i Inspection) remains() bool {
	f := i.Facts
	return f.HostRecorded && f.Host == verdict.Live || f.BoundaryInhabited || f.Carriers == verdict.Seen
}

// advise puts numbers into what the verdict misses, and says what is next.
func (i *Inspection) advise() {
	fill := strings.NewReplacer("{alive}", i.Life.String(), "{owner}", i.ownerWord())
	i.Verdict.Missing = slices.Clone(i.Verdict.Missing) // it is the ladder's own
	for n, want := range i.Verdict.Missing {
		i.Verdict.Missing[n] = fill.Replace(want)
	}
	i.Next = nextOf(i)
}

// ownerWord is the owner's pid, and whose number it is.
func (i *Inspection) ownerWord() string {
	switch {
	case i.Lease == nil:
		return ""
	case i.Life.Owner == 0 && i.Facts.Place == verdict.PlaceOther:
		return fmt.Sprintf("%d of its own PID namespace", i.Lease.OwnedBy().PID)
	case i.Life.Owner != 0:
		return strconv.FormatInt(i.Life.Owner, 10)
	}
	return strconv.FormatInt(i.Lease.OwnedBy().PID, 10)
}
