package lease

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"containlease/lease/cgroup"
	"containlease/lease/process"
	"containlease/lease/verdict"
)

// Life is who is seen alive of an invocation, by pids of the caller's PID namespace. Nobody seen is no proof that nobody is there.
type Life struct {
	Owner    int64             // 0 where it is not seen
	Host     int64             // likewise
	Members  []int64           // of its control group
	Hidden   int               // members that have no pid here: of another PID namespace
	Carriers []process.Process // who has the lease in its environment (Mark)
	Unseen   int               // processes that could be of it and may not be looked at
}

// PIDs are the pids of all that is seen but the owner, each once, in order.
func (l Life) PIDs() []int64 {
	pids := slices.Clone(l.Members)
	if l.Host != 0 {
		pids = append(pids, l.Host)
	}
	for _, c := range l.Carriers {
		pids = append(pids, c.PID)
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// String names them, for people: "its host (pid 7), pids 8 and 9 in its control group".
func (l Life) String() string {
	var parts []string
	if l.Host != 0 {
		parts = append(parts, fmt.Sprintf("its host (pid %d)", l.Host))
	}
	if len(l.Members) > 0 {
		parts = append(parts, named(l.Members)+" in its control group")
	}
	if l.Hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d in its control group with no pid here (another PID namespace's)", l.Hidden))
	}
	if others := l.strayed(); len(others) > 0 {
		parts = append(parts, named(others)+" with the lease in the environment")
	}
	if len(parts) == 0 {
		return "what is in its boundary"
	}
	return strings.Join(parts, ", ")
}

// strayed are the carriers that are not named otherwise.
func (l Life) strayed() (pids []int64) {
	for _, c := range l.Carriers {
		if c.PID != l.Host && !slices.Contains(l.Members, c.PID) {
			pids = append(pids, c.PID)
		}
	}
	return pids
}

// mostNamed bounds what is named in a sentence. All are in the data.
const mostNamed = 8

func named(pids []int64) string {
	words := make([]string, 0, mostNamed)
	for _, pid := range pids[:min(len(pids), mostNamed)] {
		words = append(words, strconv.FormatInt(pid, 10))
	}
	text := strings.Join(words, ", ")
	if more := len(pids) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(pids) == 1 {
		return "pid " + text
	}
	return "pids " + text
}

// lookForLife is the one look for who is alive of an invocation, wherever its end is not proved. It only ever adds a block.
func (v view) lookForLife(i *Inspection) {
	census := v.census()
	i.Life.Carriers = carriersOf(census, i.ID)
	i.Life.Unseen = unseenOf(census, i)
	switch {
	case len(i.Life.Carriers) > 0:
		i.Facts.Carriers = verdict.Seen
	case census.Err == nil && i.Life.Unseen == 0:
		i.Facts.Carriers = verdict.Absent
	}
	if i.Facts.Place == verdict.PlaceOther {
		v.recognize(census, i)
	}
	if group, ok := GroupOf(i.Evidence); ok && i.Facts.BoundaryInhabited {
		i.Life.Members, i.Life.Hidden, _ = cgroup.Members(group) // that somebody is there is known
	}
	i.Words = append(i.Words, lookWords(census, i)...)
}

// lookBehind is that look where the lease itself cannot be read: its name is known, and with it the mark, and what its owner noted
// beside it may be there. Who is alive is then what is missing, and no word puts the record out of sight.
func (r *Registry) lookBehind(v view, i *Inspection) {
	if i.Foreign {
		return
	}
	if i.Evidence = r.noted(i.ID); i.Evidence != nil {
		i.Facts.Place = r.placeOf(v, i)
	}
	if group, ok := GroupOf(i.Evidence); ok {
		state, _ := cgroup.Look(group)
		i.Facts.BoundaryInhabited = state == cgroup.Populated
	}
	v.lookForLife(i)
	if i.remains() {
		i.Verdict.Missing = append(slices.Clone(i.Verdict.Missing), "the end of "+i.Life.String())
		i.Verdict.Next = verdict.ActLook
	}
}

// recognize finds owner and host of another PID namespace by what is the same everywhere, their inodes on pidfs.
func (v view) recognize(census process.Census, i *Inspection) {
	if pid := census.PIDOf(evidenceInode(i.Evidence, false)); pid != 0 {
		i.Facts.Owner, i.Life.Owner = verdict.Live, pid
	}
	if pid := census.PIDOf(evidenceInode(i.Evidence, true)); pid != 0 && i.Facts.HostRecorded {
		i.Facts.Host, i.Life.Host = verdict.Live, pid
	}
}

// carriersOf are those that carry the mark of a lease.
func carriersOf(census process.Census, id string) (all []process.Process) {
	for _, c := range census.Carriers {
		if slices.Contains(strings.Split(c.Value, ":"), id) {
			all = append(all, c.Process)
		}
	}
	return all
}

// unseenOf counts who may not be looked at and could be of the lease: whoever started before its acquire is not.
func unseenOf(census process.Census, i *Inspection) (n int) {
	var acquired uint64
	if i.Evidence != nil && i.Facts.Place == verdict.PlaceSame {
		acquired = fromNullable(i.Evidence.AcquiredTicks)
	}
	for _, u := range census.Unseen {
		if u.Start == 0 || u.Start >= acquired {
			n++
		}
	}
	return n
}

// lookWords are the look in words.
func lookWords(census process.Census, i *Inspection) (words []string) {
	if n := len(i.Life.Carriers); n > 0 {
		words = append(words, i.Life.String()+": alive ("+Mark+")")
	}
	if census.Err != nil {
		words = append(words, "not every process could be looked at: "+census.Err.Error())
	} else if n := i.Life.Unseen; n > 0 {
		words = append(words, fmt.Sprintf("unseen: %d processes that started since its acquire may not be looked at from here", n))
	}
	return words
}
