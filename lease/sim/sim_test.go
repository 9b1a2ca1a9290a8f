//go:build linux || darwin || freebsd

// Package sim_test runs the real registry, its handles, the doctor and the file store on a simulated machine: a disk in memory and a
// process table. Every process is a goroutine, and one of them runs at a time: before each call to the disk and each question about a
// process it stops, and the schedule says who goes on, or which accident happens (a kill, an exec, a power loss, a number that is
// given again). After every step the invariants of the lifecycle are held against what is true in the table. A schedule is a
// list of departures from the default order, or a seed: both name it for good.
package sim_test

import (
	"flag"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

var (
	seedFlag     = flag.Int64("sim.seed", -1, "play the random schedule of this seed only, and tell its story")
	scheduleFlag = flag.String("sim.schedule", "", "play this schedule (step:option,...) of -sim.cast only, and tell its story")
	castFlag     = flag.String("sim.cast", "host", "the cast of -sim.schedule")
	wholeFlag    = flag.Bool("sim.whole", false, "search wider bounds too (minutes)")
	seedsFlag    = flag.Int("sim.seeds", 0, "how many random schedules; 0: as many as a test may take")
)

// casts are those that are searched exhaustively. The walks make their own.
var casts = map[string]cast{
	"host": {doctors: 1, owners: []role{{boundary: leasefile.BoundaryKindSubreaper}, {boundary: leasefile.BoundaryKindNone}}},
	"init": {doctors: 1, owners: []role{{boundary: leasefile.BoundaryKindPIDNamespace}, {boundary: leasefile.BoundaryKindNone}}},
	"alone": {doctors: 1, owners: []role{{boundary: leasefile.BoundaryKindNone, exclusive: true},
		{boundary: leasefile.BoundaryKindNone, exclusive: true}}},
}

var ids = &counted{}

// begin is a new world with a cast.
func begin(c cast, m mutant, home *memory.Disk) *world {
	ids.n.Store(0)
	return newWorld(c, m, home)
}

// simulate calls do where waiting takes no time, with a disk that has a home.
func simulate(t *testing.T, do func(t *testing.T, home *memory.Disk)) {
	// One goroutine runs at a time: a second processor would only be woken and put to sleep at every step.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	synctest.Test(t, func(t *testing.T) {
		uuid.SetRand(ids)
		defer uuid.SetRand(nil)
		d := memory.NewDisk()
		home, err := file.Create(dir, file.On(d.Process()))
		require.NoError(t, err)
		_, err = lease.New(home.Store(), home, lease.WithInspector(eyes{proc: &proc{}}))
		require.NoError(t, err)
		do(t, d)
	})
}

// TestSimulation plays all schedules within a bound, and random ones.
func TestSimulation(t *testing.T) {
	simulate(t, func(t *testing.T, home *memory.Disk) {
		switch {
		case *seedFlag >= 0:
			var sum tally
			w, err := walk(uint64(*seedFlag), mutant{}, home, &sum)
			t.Log(w.story())
			require.NoError(t, err)
		case *scheduleFlag != "":
			s, err := parseSchedule(*scheduleFlag)
			require.NoError(t, err)
			w := begin(casts[*castFlag], mutant{}, home)
			err = w.play(s.follow)
			t.Log(w.story())
			require.NoError(t, err)
		default:
			exhaust(t, home)
			wander(t, home)
		}
	})
}

// exhaust searches bounds to their ends. The race detector makes everything several times slower.
func exhaust(t *testing.T, home *memory.Disk) {
	each, who := []bound{{switches: 1}, {accidents: 1}}, []string{"alone", "host"}
	switch {
	case *wholeFlag:
		each, who = append(each, bound{1, 1, true}, bound{2, 0, true}), slices.Sorted(maps.Keys(casts))
	case raceDetector || testing.Short():
		who = who[:1]
	}
	for _, name := range who {
		for _, b := range each {
			var sum tally
			s, err := search(casts[name], mutant{}, home, b, &sum)
			require.NoError(t, err, "play it again: -sim.cast %s -sim.schedule %s", name, s)
			t.Logf("cast %-5s every schedule with at most %-42s %8d schedules, %10d steps", name, b.String()+":", sum.schedules, sum.steps)
		}
	}
}

func wander(t *testing.T, home *memory.Disk) {
	seeds := *seedsFlag
	if seeds == 0 {
		seeds = map[bool]int{false: 1000, true: 200}[raceDetector || testing.Short()]
	}
	var sum tally
	for seed := range uint64(seeds) {
		_, err := walk(seed, mutant{}, home, &sum)
		require.NoError(t, err, "play it again: -sim.seed %d", seed)
	}
	t.Logf("random walks: %d seeds, %d steps, %d accidents", sum.schedules, sum.steps, sum.accidents)
}
