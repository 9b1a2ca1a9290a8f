package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"containlease/gen/leasefile"

	"golang.org/x/sys/unix"
)

// scenery is one state of affairs about which commands are printed.
type scenery struct {
	name      string
	set       func(*typing)
	silent    bool // nothing need be printed
	elsewhere bool // what is taken for the owner is the init of a PID namespace, and has to stay
	slow      bool // a grace has to be waited for, unless everything is dead
	keeps     bool // its owner is another program, which no command may end
}

// inEach are scenes that there are in every boundary.
var inEach = []struct {
	name string
	tree shape
	then func(*typing, *invocation)
}{
	{"owner killed", deaf, func(t *typing, v *invocation) { t.strike(v, "owner", unix.SIGKILL) }},
	{"owner and gate killed", visible, bothKilled},
	{"gate killed", visible, func(t *typing, v *invocation) {
		t.strike(v, "gate", unix.SIGKILL)
		<-v.done
	}},
	{"gate stopped, owner killed", visible, func(t *typing, v *invocation) {
		t.strike(v, "gate", unix.SIGSTOP)
		t.strike(v, "owner", unix.SIGKILL)
	}},
	{"owner stopped", visible, func(t *typing, v *invocation) { t.strike(v, "owner", unix.SIGSTOP) }},
}

func bothKilled(t *typing, v *invocation) {
	t.strike(v, "owner", unix.SIGKILL)
	t.strike(v, "gate", unix.SIGKILL)
}

// others are scenes of one kind of boundary, or of none.
var others = []scenery{
	{name: "cleanup-unsafe with a living owner", keeps: true, set: func(t *typing) {
		v := t.owned(ownsOn, visible)
		t.grownUp(v)
		t.strike(v, "gate", unix.SIGKILL)
		t.until("cleanup-unsafe")
	}},
	{name: "the owner has become another program", keeps: true, set: func(t *typing) {
		v := t.owned(ownsOff, visible)
		t.grownUp(v)
		t.strike(v, "gate", unix.SIGSTOP)
		t.strike(v, "owner", unix.SIGUSR1)
		t.until(`"abandoned"`)
	}},
	{name: "owner and gate killed, of what lives nothing is seen", set: func(t *typing) {
		bothKilled(t, t.plugin("cgroup-v2", shape{Name: "p", Kids: []shape{
			{Name: "p0", Hop: true, Deaf: true, Bare: true, Leaves: true}}}))
	}},
	{name: "another PID namespace", elsewhere: true, set: func(t *typing) {
		v := t.elsewhere(visible)
		t.grownUp(v)
		t.strike(v, "gate", unix.SIGKILL) // it is containlease run, and the gate comes to the init
	}},
	{name: "another machine", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		home := leasefile.HomeV1{MachineID: l.RunID, HostSHA256: strings.Repeat("b0", 32)}
		t.write("machine.json", home.AppendCanonical(nil))
	})},
	{name: "no evidence", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		for _, kind := range []string{".json", ".lock"} {
			t.must(os.Remove(filepath.Join(t.home, "owners", l.LeaseID+kind)))
		}
	})},
	{name: "version 1", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		v1 := leasefile.LeaseV1{AcquiredAt: l.AcquiredAt, Identity: l.Identity, LeaseID: l.LeaseID,
			Owner: l.Owner, RunID: l.RunID}
		t.write("leases/"+l.LeaseID+".json", v1.AppendCanonical(nil))
	})},
	{name: "a malformed record", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		t.write("leases/"+l.RunID+".json", []byte("{"))
	})},
	{name: "a newer version", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		t.write("leases/"+l.RunID+".json",
			[]byte(`{"identity":{"pluginId":"acme"},"leaseId":"`+l.RunID+`","schemaVersion":3}`))
	})},
	{name: "a foreign name", set: forged(func(t *typing, _ *leasefile.LeaseV2) {
		t.write("leases/it's $(kill 1); kill 1.json", []byte("{}"))
	})},
	{name: "leftovers", set: forged(func(t *typing, l *leasefile.LeaseV2) {
		t.write("owners/"+l.RunID+".json", []byte("{}"))
		t.must(os.MkdirAll(filepath.Join(t.home, "owners", l.RunID+".empty", "x"), 0o700))
	})},
}

// scenes are all of them.
func (s *stage) scenes() (all []scenery) {
	for _, boundary := range s.boundaries {
		for _, sc := range inEach {
			all = append(all, scenery{name: sc.name + ", " + boundary, silent: true,
				slow: sc.tree.Deaf,
				set:  func(t *typing) { sc.then(t, t.plugin(boundary, sc.tree)) }})
		}
	}
	for _, sc := range others {
		if s.group != nil || !strings.HasSuffix(sc.name, "nothing is seen") {
			all = append(all, sc)
		}
	}
	return all
}

// visible is a tree of which every process can be seen, and part of which outlives its gate. deaf
// outlives its owner, too.
var (
	visible = shape{Name: "p", Kids: []shape{
		{Name: "p0", Hop: true}, {Name: "p1", Hop: true, Leaves: true}}}
	deaf = shape{Name: "p", Deaf: true, Kids: []shape{{Name: "p0", Hop: true, Deaf: true}}}
)

// plugin begins an invocation that lasts.
func (t *typing) plugin(boundary string, tree shape) *invocation {
	v := t.run(t.self, boundary, tree, "--grace", "1h")
	t.grownUp(v)
	return v
}

// forged kills owner and gate of an invocation, and then changes what is on record.
func forged(change func(*typing, *leasefile.LeaseV2)) func(*typing) {
	return func(t *typing) {
		v := t.plugin("subreaper", visible)
		bothKilled(t, v)
		files, _ := filepath.Glob(filepath.Join(t.home, "leases", "*.json"))
		for _, f := range files {
			b, err := os.ReadFile(f)
			t.must(err)
			var l leasefile.LeaseV2
			decoded, err := leasefile.DecodeFile(b)
			t.must(err)
			if found, ok := decoded.(*leasefile.LeaseV2); ok {
				l = *found
			}
			change(t, &l)
		}
	}
}

func (t *typing) write(name string, content []byte) {
	t.must(os.WriteFile(filepath.Join(t.home, name), content, 0o600))
}

// until waits until list says a word.
func (t *typing) until(word string) {
	for over := time.Now().Add(stuckAfter); time.Now().Before(over); {
		if strings.Contains(t.typed("--output", "json", "list").out, word) {
			return
		}
	}
	t.fault("list never says %s", word)
}
