package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// greet looks, as a tree is first heard of, whether it may be there: beside living processes of an
// invocation whose owner had ended before this one was begun it may not.
func (r *round) greet(t *tree) {
	r.trees.Add(1)
	r.mu.Lock()
	all := r.all
	r.mu.Unlock()
	for _, v := range all {
		if v.runID != t.token {
			continue
		}
		for _, b := range v.beside {
			if r.checker.tree(b.runID).alive() {
				r.overlook(b, "the plugin is started a second time")
			}
		}
	}
}

// check holds the home against what lives: no lease may be gone while a process of its invocation
// lives.
func (r *round) check() {
	began := make([]bool, len(r.all))
	for i, v := range r.all {
		began[i] = r.checker.tree(v.runID).alive()
	}
	there := r.kept()
	for i, v := range r.all {
		if began[i] && !there[v.runID] && r.checker.tree(v.runID).alive() && !r.kept()[v.runID] {
			r.overlook(v, "its lease is gone")
		}
	}
	if r.healthy != nil && r.healthy.ended() {
		r.fault("the healthy invocation has ended: %s", r.healthy.said())
	}
}

// kept are the run ids of the leases in the home.
func (r *round) kept() map[string]bool {
	there := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(r.home, "leases", "*.json"))
	r.must(err)
	for _, f := range files {
		var l struct{ RunID string }
		b, err := os.ReadFile(f)
		if err == nil && json.Unmarshal(b, &l) == nil {
			there[l.RunID] = true
		}
	}
	return there
}

// overlook is a fault, unless all that lives of the invocation is what the documents say nobody
// sees.
func (r *round) overlook(v *invocation, what string) {
	r.settle(v)
	t := r.checker.tree(v.runID)
	r.mu.Lock()
	known := r.judged[v.runID+what]
	r.judged[v.runID+what] = true
	r.mu.Unlock()
	if !t.alive() || known {
		return
	}
	for _, m := range r.checker.living(t) {
		if !v.unseen(m) {
			r.fault("%s while %s lives, in %s: %s", what, m.Name, v.boundary, r.census(v))
			return
		}
	}
	r.tell("%s beside what nobody sees: %s", what, r.census(v))
	r.overlooked(v.boundary)
}

// settle lets those be heard of who are just being born.
func (r *round) settle(v *invocation) {
	t := r.checker.tree(v.runID)
	r.checker.await(300*time.Millisecond, nil, func() bool { return !t.alive() })
}

// unseen is the documented limit: who has cleared its environment and, where there is a control
// group, has left it, is known to its gate alone.
func (v *invocation) unseen(m member) bool {
	if pid := v.named.Load(); pid != 0 && int(pid) == pidOf(m.pidfd) {
		return true // not seen, but vouched for
	}
	switch v.boundary {
	case "pid-namespace":
		return false
	case "cgroup-v2":
		return v.lost.Load() && m.Bare && m.Left
	}
	return v.lost.Load() && m.Bare
}

// end ends everything by what is held of it. If all is well then, everything can be cleared too.
func (r *round) end(clear bool) {
	r.check()
	r.spared()
	for _, v := range r.all {
		r.must(v.finish())
		if t := r.checker.tree(v.runID); t != nil {
			r.must(r.checker.end(t))
		}
	}
	r.tell("everything has been ended")
	if clear {
		r.clear()
	}
	r.cleared(clear)
	for _, v := range r.all {
		v.forget()
	}
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	for _, f := range r.checker.faults {
		r.fault("%s", f)
	}
}

// looks is how often an operator looks again before he gives up: who ends at that moment is not
// seen clearly.
const looks = 8

// clear has containlease clear the home: what it cannot prove, on an honest word.
func (r *round) clear() {
	var left []record
	for n := range looks {
		r.typed("doctor", "--apply", "--wait", "10s")
		if left = r.listed(); len(left) == 0 {
			break
		}
		if n > 0 {
			r.blinks.Add(1)
		}
		for _, l := range left {
			r.typed("retire", l.LeaseID, "--digest", *l.Digest, "--reason", "torment saw all of it end")
		}
	}
	for _, l := range left {
		r.fault("a lease cannot be cleared though nothing of it lives: %s", l.LeaseID)
	}
	if _, err := os.Stat(r.home); err == nil {
		r.typed("doctor", "--apply")
		r.empty("leases")
		r.empty("owners")
	}
}

// plain reports whether a process is in a boundary that knows its members, or shows the lease's
// mark.
func (v *invocation) plain(m member) bool {
	inside := v.boundary == "pid-namespace" || v.boundary == "cgroup-v2" && !m.Left
	return inside || !m.Bare
}

// spared wants that nothing but the invocations' own processes was signalled.
func (r *round) spared() {
	for _, b := range r.crowd {
		if err := b.untouched(); err != nil {
			r.fault("%v", err)
		}
	}
	if r.healthy == nil {
		return
	}
	t := r.checker.tree(r.healthy.runID)
	r.checker.mu.Lock()
	defer r.checker.mu.Unlock()
	if t != nil && len(t.signals) > 0 {
		r.fault("the healthy invocation was signalled: %v", t.signals)
	}
}

func (r *round) empty(dir string) {
	entries, err := os.ReadDir(filepath.Join(r.home, dir))
	r.must(err)
	for _, e := range entries {
		r.fault("left behind: %s/%s", dir, e.Name())
	}
}

// cleared removes the control groups that are left, of which there should be none.
func (r *round) cleared(none bool) {
	if r.group == nil {
		return
	}
	empty, err := r.group.Await(stuckAfter) // who has just been killed may be in it for a moment
	r.must(err)
	if !empty {
		r.fault("somebody is left in the round's control group")
		r.must(r.group.Kill()) // whoever it is, it was born in a group of ours
	}
	for _, g := range r.groups() {
		if none {
			r.fault("a control group is left behind: %s", filepath.Base(g))
		}
	}
	r.must(errors.Join(r.group.Remove(), r.group.Close()))
}
