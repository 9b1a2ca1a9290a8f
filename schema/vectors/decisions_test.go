package vectors_test

import (
	"fmt"
	"testing"

	"containlease/fsm"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decision is a row of decisions.jsonl.
type decision struct {
	SchemaVersion    int
	Containment      *string
	Host             bool
	ParentStatus     string
	HostStatus       *string
	OwnerBootCurrent bool
	HostBootCurrent  *bool
	Recover          bool
	OwnerStatus      string
	Outcome          string
	Realizable       bool
}

func (d decision) mode() verdict.Mode {
	if d.Recover {
		return verdict.Recover
	}
	return verdict.Repair
}

// facts fixes what the measurement did not vary: evidence present, same machine and namespaces, no boundary, the lock held where
// the owner is alive and free elsewhere.
func (d decision) facts() verdict.Facts {
	f := verdict.Facts{
		Version: d.SchemaVersion, HostRecorded: d.Host, OwnerBootCurrent: d.OwnerBootCurrent,
		Owner: liveness(d.ParentStatus), Lock: verdict.LockFree,
		SameMachine: true, BootReliable: true, Evidence: true, Place: verdict.PlaceSame,
	}
	if d.Containment != nil {
		f.State = fsm.State(*d.Containment)
	}
	if d.HostStatus != nil {
		f.Host = liveness(*d.HostStatus)
	}
	if d.HostBootCurrent != nil {
		f.HostBootCurrent = *d.HostBootCurrent
	}
	if f.Owner == verdict.Live {
		f.Lock = verdict.LockHeld
	}
	return f
}

func liveness(s string) verdict.Liveness {
	for _, l := range []verdict.Liveness{verdict.Unknown, verdict.Live, verdict.Dead} {
		if l.String() == s {
			return l
		}
	}
	panic("no such status: " + s)
}

// words are the vectors' names of the three outcomes.
var words = map[verdict.Outcome]string{verdict.Active: "active", verdict.Uncertain: "unknown", verdict.Gone: "removed"}

func TestDecisions(t *testing.T) {
	rows := read[decision](t, "decisions.jsonl")
	require.Len(t, rows, 336)
	used := map[string]int{}
	for i, d := range rows {
		f := d.facts()
		require.Equal(t, d.OwnerStatus, verdict.OwnerStatus(f).String(), "row %d", i+1)
		require.Equal(t, d.Outcome, words[verdict.Original.Decide(d.mode(), f)], "row %d", i+1)

		strict := words[verdict.Strict.Decide(d.mode(), f)]
		dev, listed := verdict.Deviates(d.mode(), f)
		assert.Equal(t, listed, strict != d.Outcome, "row %d: original %s, strict %s by rung %s: deviation %q, realizable %v, %+v",
			i+1, d.Outcome, strict, verdict.Judge(f).Rule, dev.Name, d.Realizable, f)
		if listed {
			used[fmt.Sprintf("%s %s→%s realizable=%v", dev.Name, d.Outcome, strict, d.Realizable)]++
		}
	}
	for name, n := range used {
		t.Logf("%3d rows: %s", n, name)
	}
}
