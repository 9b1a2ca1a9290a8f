//go:build unix

package lease_test

import (
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// The number of a PID namespace comes back. It means the owner's only together with what does not: the kernel's id, or the init.
func TestANamespaceIsALifeAndNoNumber(t *testing.T) {
	start, other := hex("init"), hex("another init")
	number := func(n int64) *int64 { return &n }
	here := process.Namespaces{PID: 1, Time: 2, PIDID: 30, InitInode: 40, InitStartID: start}
	for name, c := range map[string]struct {
		record func(*leasefile.EvidenceV2)
		ended  bool // what the kernel says of the recorded one
		want   verdict.Place
	}{
		"of an older version":         {func(*leasefile.EvidenceV2) {}, false, verdict.PlaceSame},
		"the same id":                 {func(e *leasefile.EvidenceV2) { e.PIDNamespaceID = number(30) }, false, verdict.PlaceSame},
		"the same init":               {func(e *leasefile.EvidenceV2) { e.InitInode = number(40) }, false, verdict.PlaceSame},
		"the same start":              {func(e *leasefile.EvidenceV2) { e.InitStartID = &start }, false, verdict.PlaceSame},
		"another id, our number":      {func(e *leasefile.EvidenceV2) { e.PIDNamespaceID = number(31) }, false, verdict.PlaceGone},
		"another init, our number":    {func(e *leasefile.EvidenceV2) { e.InitInode = number(41) }, false, verdict.PlaceGone},
		"another start, our number":   {func(e *leasefile.EvidenceV2) { e.InitStartID = &other }, false, verdict.PlaceGone},
		"the id counts more":          {func(e *leasefile.EvidenceV2) { e.PIDNamespaceID, e.InitInode = number(30), number(41) }, false, verdict.PlaceSame},
		"another number, it lives":    {func(e *leasefile.EvidenceV2) { e.PIDNamespace, e.PIDNamespaceID = number(9), number(31) }, false, verdict.PlaceOther},
		"another number, it ended":    {func(e *leasefile.EvidenceV2) { e.PIDNamespace, e.PIDNamespaceID = number(9), number(31) }, true, verdict.PlaceGone},
		"another number, nobody asks": {func(e *leasefile.EvidenceV2) { e.PIDNamespace = number(9) }, true, verdict.PlaceOther},
		"another time namespace":      {func(e *leasefile.EvidenceV2) { e.TimeNamespace, e.PIDNamespaceID = number(9), number(30) }, false, verdict.PlaceOther},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.here, d.ended = &here, c.ended
			i := d.leave(t, fsm.StateHostActive, nobody)
			e := *i.Evidence
			c.record(&e)
			d.write(t, "owners/"+i.ID+".json", string(e.AppendCanonical(nil)))
			i, err := d.Inspect(t.Context(), i.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, i.Facts.Place)
			require.Equal(t, c.want == verdict.PlaceGone, i.Verdict.Removable, i.Verdict.Rule)
		})
	}
}

// Behind what is no lease any more, as a lost write leaves it, somebody may live: its name tells the mark.
func TestNobodyIsPutOutOfSight(t *testing.T) {
	for _, content := range []string{"", "{", `{"schemaVersion":3}`} {
		d := newDesk(t)
		i := d.leave(t, fsm.StateHostActive, nobody)
		d.write(t, "leases/"+i.ID+".json", content)
		d.census = process.Census{Carriers: []process.Carrier{{Process: process.Process{Identity: seen(7)}, Value: "x:" + i.ID}}}
		i, err := d.Inspect(t.Context(), i.ID)
		require.NoError(t, err)
		require.Equal(t, []int64{7}, i.Life.PIDs())
		require.Equal(t, verdict.ActLook, i.Next.Action)
		require.True(t, i.Alive())
		_, err = d.Quarantine(t.Context(), i.ID, i.Digest, "I did not look")
		require.ErrorIs(t, err, lease.ErrInUse)
		require.ErrorContains(t, err, "pid 7")
		d.census = process.Census{}
		_, err = d.Quarantine(t.Context(), i.ID, i.Digest, "it has ended")
		require.NoError(t, err)
	}
}

// Who cannot be looked at is not absent, unless it started before the acquire.
func TestTheUnseenAreNotAbsent(t *testing.T) {
	for name, c := range map[string]struct {
		census process.Census
		want   verdict.Sight
		unseen int
	}{
		"nobody":            {process.Census{}, verdict.Absent, 0},
		"older":             {process.Census{Unseen: []process.Unseen{{PID: 7, Start: 99}}}, verdict.Absent, 0},
		"as old":            {process.Census{Unseen: []process.Unseen{{PID: 7, Start: 100}}}, verdict.Unseen, 1},
		"of unknown age":    {process.Census{Unseen: []process.Unseen{{PID: 7}}}, verdict.Unseen, 1},
		"not all listed":    {process.Census{Err: process.ErrNoIdentity}, verdict.Unseen, 0},
		"one carries":       {process.Census{Carriers: []process.Carrier{{Process: process.Process{Identity: seen(7)}, Value: "ID"}}}, verdict.Seen, 0},
		"an outer one":      {process.Census{Carriers: []process.Carrier{{Process: process.Process{Identity: seen(7)}, Value: "ID:x"}}}, verdict.Seen, 0},
		"another's carrier": {process.Census{Carriers: []process.Carrier{{Process: process.Process{Identity: seen(7)}, Value: "IDx"}}}, verdict.Absent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			i := d.leave(t, fsm.StateHostActive, nobody)
			e, ticks := *i.Evidence, int64(100)
			e.AcquiredTicks = &ticks
			d.write(t, "owners/"+i.ID+".json", string(e.AppendCanonical(nil)))
			d.census = c.census
			for n := range d.census.Carriers {
				d.census.Carriers[n].Value = i.ID + d.census.Carriers[n].Value[len("ID"):]
			}
			i, err := d.Inspect(t.Context(), i.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, i.Facts.Carriers)
			require.Equal(t, c.unseen, i.Life.Unseen)
		})
	}
}

// One walk through the processes serves a whole operation, and none is made where every lease has its proof.
func TestOneWalkForEachOperation(t *testing.T) {
	d := newDesk(t)
	looks := 0
	d.looked = func() { looks++ }
	d.leave(t, fsm.StateCleanupComplete, nobody)
	d.leave(t, fsm.StateHostStarting, unbounded)
	_, err := d.Acquire(t.Context(), operationOf("other"), "")
	require.NoError(t, err, "one at work")
	looks = 0
	all := func() {
		for _, err := range d.List(t.Context()) {
			require.NoError(t, err)
		}
	}
	all()
	require.Zero(t, looks)
	d.leave(t, fsm.StateHostActive, nobody)
	d.leave(t, fsm.StateCleanupUnsafe, nobody)
	looks = 0
	all()
	require.Equal(t, 1, looks)
	_, err = d.Repair(t.Context(), lease.RepairOptions{})
	require.NoError(t, err)
	require.Equal(t, 2, looks)
}
