package cli

import (
	"slices"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist"
)

// item is one record of a home as list, show, doctor and the status file give it.
type item struct {
	LeaseID       string    `json:"leaseId"` // the stored name of what is no lease
	PluginID      string    `json:"pluginId"`
	State         string    `json:"state"`                        // "" for v1 and for what is no lease
	SchemaVersion int       `json:"schemaVersion"`                // 0 for what is no lease
	Digest        *string   `json:"digest" jsonschema:"nullable"` // null where the bytes could not be read
	RunID         string    `json:"runId"`
	Operation     string    `json:"operation"`
	AcquiredAt    string    `json:"acquiredAt"` // for people: no verdict rests on it
	Owner         *process  `json:"owner" jsonschema:"nullable"`
	Host          *process  `json:"host" jsonschema:"nullable"`
	Blocks        string    `json:"blocks"` // why the plugin may not start beside it; "" if it may
	Verdict       judgement `json:"verdict"`
	Foreign       bool      `json:"foreign"`                       // a name that containlease does not use; it blocks nothing
	Problem       *string   `json:"problem" jsonschema:"nullable"` // why it is no lease, else null
	finding       bool      // there is something to do about it
}

type process struct {
	PID            int64  `json:"pid"`
	BootID         string `json:"bootId"`
	ProcessStartID string `json:"processStartId"`
}

type judgement struct {
	Outcome   string            `json:"outcome" jsonschema:"enum=active,enum=gone,enum=abandoned,enum=orphan,enum=unknown,enum=malformed,enum=newer"`
	Rule      string            `json:"rule"`
	Because   string            `json:"because"`
	Facts     map[string]string `json:"facts"`   // in words; {} for what is no lease
	Details   []string          `json:"details"` // what was seen of owner and host
	Missing   []string          `json:"missing"` // what would prove the end
	Alive     []alive           `json:"alive"`   // who of it is seen alive
	Unseen    int               `json:"unseen"`  // how many could be of it and may not be looked at from here
	Removable bool              `json:"removable"`
	Action    string            `json:"action" jsonschema:"enum=look,enum=clear,enum=stop,enum=vouch,enum=retire,enum=quarantine,enum=adopt"`
	Next      string            `json:"next"` // the action as a command to type
}

// alive is a process of an invocation. Nobody in a list is no proof that nobody is there.
type alive struct {
	PID int64  `json:"pid"` // 0: it has none here, being of another PID namespace
	As  string `json:"as" jsonschema:"enum=owner,enum=host,enum=member,enum=carrier"`
}

// aliveOf is each once, by what tells most of it.
func aliveOf(l lease.Life) []alive {
	out := []alive{}
	add := func(as string, pids ...int64) {
		for _, pid := range pids {
			known := slices.ContainsFunc(out, func(x alive) bool { return pid != 0 && x.PID == pid })
			if !known {
				out = append(out, alive{pid, as})
			}
		}
	}
	if l.Owner != 0 {
		add("owner", l.Owner)
	}
	if l.Host != 0 {
		add("host", l.Host)
	}
	add("member", l.Members...)
	add("member", make([]int64, l.Hidden)...)
	for _, c := range l.Carriers {
		add("carrier", c.PID)
	}
	return out
}

// itemOf is the one way from an inspection to what a person or a program sees.
func (a *app) itemOf(i lease.Inspection) item {
	it := item{
		LeaseID: i.ID, PluginID: i.Plugin, State: string(i.State), Foreign: i.Foreign, finding: i.Finding(),
		Verdict: judgement{
			Outcome: string(i.Verdict.Outcome), Rule: i.Verdict.Rule, Because: i.Verdict.Because, Removable: i.Verdict.Removable,
			Facts: map[string]string{}, Details: orEmpty(i.Words), Missing: orEmpty(i.Verdict.Missing),
			Alive: aliveOf(i.Life), Unseen: i.Life.Unseen, Action: string(i.Next.Action), Next: a.command(i.Next),
		},
	}
	if !i.Foreign {
		it.Blocks = string(i.Block())
	}
	if i.Digest != (persist.Digest{}) {
		d := i.Digest.String()
		it.Digest = &d
	}
	if i.Problem != nil {
		p := i.Problem.Error()
		it.Problem = &p
	}
	if i.Lease != nil {
		it.describe(i.Lease)
		it.Verdict.Facts = factWords(i.Facts)
	}
	return it
}

// describe copies what the lease itself says.
func (it *item) describe(l leasefile.Lease) {
	o := l.OwnedBy()
	it.SchemaVersion, it.RunID, it.AcquiredAt, it.Operation = l.Version(), l.Run(), l.Acquired(), l.Operation().Operation
	it.Owner = &process{o.PID, o.BootID, o.ProcessStartID}
	if v2, ok := l.(*leasefile.LeaseV2); ok && v2.Containment.Host != nil {
		h := v2.Containment.Host
		it.Host = &process{h.PID, h.BootID, h.ProcessStartID}
	}
}

// factWords spells the facts of a verdict. Every fact that a rule may ask for is here.
func factWords(f verdict.Facts) map[string]string {
	w := map[string]string{
		"lock":               f.Lock.String(),
		"owner":              f.Owner.String(),
		"ownerBoot":          choose(f.OwnerBootCurrent, "present", "another"),
		"host":               "none",
		"hostBoot":           "none",
		"sameMachine":        choose(f.SameMachine, "yes", "no"),
		"bootReliable":       choose(f.BootReliable, "yes", "no"),
		"evidence":           choose(f.Evidence, "present", "missing"),
		"place":              f.Place.String(),
		"boundary":           choose(f.Boundary == "", "none", f.Boundary),
		"boundaryEmpty":      choose(f.BoundaryEmpty, "proved", choose(f.BoundaryInhabited, "inhabited", "not-proved")),
		"carriers":           f.Carriers.String(),
		"singlePidNamespace": choose(f.SinglePIDNamespace, "asserted", "not-asserted"),
	}
	if f.HostRecorded {
		w["host"], w["hostBoot"] = f.Host.String(), choose(f.HostBootCurrent, "present", "another")
	}
	return w
}

func choose(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// orEmpty keeps null out of JSON.
func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
