//go:build linux || darwin || freebsd

package sim_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"containlease/gen/leasefile"
	"containlease/persist/memory"
)

// departure is where a schedule leaves the default order (whoever has the turn goes on for as long as it can), and for what.
type departure struct{ step, option int }

// schedule is all departures of a schedule, in order. It names the schedule.
type schedule []departure

func (s schedule) String() string {
	var parts []string
	for _, d := range s {
		parts = append(parts, fmt.Sprintf("%d:%d", d.step, d.option))
	}
	return strings.Join(parts, ",")
}

func parseSchedule(text string) (s schedule, err error) {
	for part := range strings.SplitSeq(text, ",") {
		step, option, _ := strings.Cut(part, ":")
		var d departure
		if d.step, err = strconv.Atoi(step); err == nil {
			d.option, err = strconv.Atoi(option)
		}
		if err != nil {
			return nil, fmt.Errorf("a schedule is step:option,step:option..., not %q: %w", text, err)
		}
		s = append(s, d)
	}
	return s, nil
}

// follow makes exactly the departures of s.
func (s schedule) follow(w *world, options []option) int {
	for _, d := range s {
		if d.step == w.step && d.option < len(options) {
			return d.option
		}
	}
	return 0
}

// bound is how far an exhaustive search goes from the default order. A coarse one departs only before a step that changes
// something that others can see.
type bound struct {
	switches, accidents int
	coarse              bool
}

func (b bound) String() string {
	return fmt.Sprintf("%d switches, %d accidents%s", b.switches, b.accidents, map[bool]string{true: ", before changes"}[b.coarse])
}

// branch is a schedule still to be played, and what its bound still allows.
type branch struct {
	schedule
	left bound
}

// tally is what a search has seen.
type tally struct{ schedules, steps, accidents int }

func (t *tally) add(w *world) {
	t.schedules++
	t.steps += w.step
	t.accidents += w.accidents
}

// search plays every schedule within the bound. It returns the first violation and the schedule that leads there.
func search(c cast, m mutant, home *memory.Disk, b bound, t *tally) (schedule, error) {
	open := []branch{{nil, b}}
	for len(open) > 0 {
		now := open[len(open)-1]
		open = open[:len(open)-1]
		x := &expansion{branch: now, offered: map[string]moment{}}
		w := begin(c, m, home)
		w.most = b.accidents
		err := w.play(x.choose)
		t.add(w)
		if err != nil {
			return now.schedule, err
		}
		open = append(open, x.found...)
	}
	return nil, nil
}

// expansion plays one branch and finds those that leave it later.
type expansion struct {
	branch
	found   []branch
	offered map[string]moment // the moments at which an accident was last worth a try
}

func (x *expansion) choose(w *world, options []option) int {
	last := 0
	if n := len(x.schedule); n > 0 {
		last = x.schedule[n-1].step
	}
	for n, o := range options[1:] {
		left := x.left
		if o.turn != nil {
			left.switches--
		} else {
			left.accidents--
		}
		if worth := x.worth(w, o); worth && w.step > last && left.switches >= 0 && left.accidents >= 0 {
			x.found = append(x.found, branch{append(x.schedule[:len(x.schedule):len(x.schedule)], departure{w.step, n + 1}), left})
		}
	}
	return x.schedule.follow(w, options)
}

// moment is all that an accident may find different.
type moment struct {
	disk                   uint64
	changes, others, words int
}

// private calls show nothing to others and see nothing of them: to be interrupted before or after them is the same.
var private = map[string]bool{"Close": true, "Stat": true, "SyncData": true, "Sync": true, "Reserve": true, "Truncate": true,
	"Filesystem": true, "SetMtime": true}

// shown are the calls that change what others see. What happens in the process table has no such names.
var shown = map[string]bool{"Create": true, "Link": true, "Rename": true, "RenameExclusive": true, "Exchange": true, "Unlink": true,
	"Pwrite": true, "Append": true, "Flock": true, "Own": true, "Disown": true}

// worth is false where an option leads to nothing that the same one, at an earlier step, has not led to.
func (x *expansion) worth(w *world, o option) bool {
	if c := w.current; x.left.coarse && c != nil && c.enabled() && !shown[c.next.Op] && c.next.Op[0] < 'a' {
		return false
	}
	if o.turn != nil {
		return w.current == nil || !w.current.enabled() || !private[w.current.next.Op]
	}
	now := moment{disk: w.disk.Changes(), changes: w.changes, words: w.said}
	if o.to != nil {
		now.others = w.step - o.to.steps
	}
	if strings.HasPrefix(o.accident, "reuse") {
		now = moment{changes: w.changes}
	}
	name := o.accident + fmt.Sprintf("%p", o.to)
	if x.offered[name] == now {
		return false
	}
	x.offered[name] = now
	return true
}

// walk is a random schedule, the same for the same seed. The seed also picks the cast, how often the turn goes to somebody else, and
// when accidents happen.
func walk(seed uint64, m mutant, home *memory.Disk, t *tally) (*world, error) {
	r := rand.New(rand.NewPCG(seed, 6))
	w := begin(castOf(r), m, home)
	switching := []int{2, 8, 32}[r.IntN(3)]
	var accidents []int
	for range r.IntN(w.most + 1) {
		accidents = append(accidents, r.IntN(lifetime))
	}
	err := w.play(func(_ *world, options []option) int {
		turns := 0
		for turns < len(options) && options[turns].turn != nil {
			turns++
		}
		switch {
		case turns < len(options) && slices.Contains(accidents, w.step):
			return turns + pickAccident(r, options[turns:])
		case r.IntN(switching) == 0:
			return r.IntN(turns)
		}
		return 0
	})
	t.add(w)
	return w, err
}

// lifetime is about how many steps a walk takes.
const lifetime = 500

// pickAccident picks a kind, and then one of that kind: there are more ways to lose the power than to lose a gate.
func pickAccident(r *rand.Rand, options []option) int {
	kinds := map[string][]int{}
	for n, o := range options {
		kind, _, _ := strings.Cut(o.accident, " ")
		kinds[kind] = append(kinds[kind], n)
	}
	names := slices.Sorted(maps.Keys(kinds))
	of := kinds[names[r.IntN(len(names))]]
	return of[r.IntN(len(of))]
}

func castOf(r *rand.Rand) cast {
	c := cast{doctors: 1 + r.IntN(2)}
	kinds := []leasefile.BoundaryKind{leasefile.BoundaryKindNone, leasefile.BoundaryKindSubreaper, leasefile.BoundaryKindPIDNamespace}
	for range 2 + r.IntN(2) {
		c.owners = append(c.owners, role{boundary: kinds[r.IntN(3)], exclusive: r.IntN(6) == 0, recover: r.IntN(3) == 0})
	}
	return c
}
