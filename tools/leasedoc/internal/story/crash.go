package story

import (
	"strings"

	"containlease/fsm"
	"containlease/lease/verdict"
	"containlease/tools/cli"
)

// Accident is who lives after a crash, and from where one asks.
type Accident struct {
	Owner  string // at-work, let-go (it replaced itself by exec) or dead
	Gate   string // none, alive, ended (by itself, leaving its note) or killed
	Plugin bool   // a process of the plugin is alive
	Place  string // here (the owner's namespace), there (another one) or reboot (after one, all dead)
}

// Key names an accident in the page's data.
func (a Accident) Key() string {
	plugin := "quiet"
	if a.Plugin {
		plugin = "runs"
	}
	return strings.Join([]string{a.Owner, a.Gate, plugin, a.Place}, ".")
}

// Accidents returns everything that may be found after a crash at m.
func (m Moment) Accidents() []Accident {
	gates, plugins := []string{"none"}, []bool{false}
	switch m.Gate {
	case Killed:
		gates = []string{"killed"}
	case Shut, Open:
		gates = []string{"alive", "ended", "killed"}
	}
	if m.Plugin || m.Gate == Open && !m.Note {
		plugins = []bool{false, true}
	}
	out := []Accident{{Owner: "dead", Gate: gates[len(gates)-1], Place: "reboot"}}
	for _, place := range []string{"here", "there"} {
		for _, owner := range []string{"at-work", "let-go", "dead"} {
			for _, gate := range gates {
				for _, plugin := range plugins {
					if !plugin || gate != "ended" {
						out = append(out, Accident{owner, gate, plugin, place})
					}
				}
			}
		}
	}
	return out
}

// Facts are what a judge finds at m after a.
func (m Moment) Facts(a Accident) verdict.Facts {
	f := verdict.Facts{Version: 2, State: m.Disk, SameMachine: true, BootReliable: true, Evidence: true, Place: verdict.PlaceSame,
		Owner: verdict.Dead, Host: verdict.Dead, Lock: verdict.LockFree, OwnerBootCurrent: true, HostBootCurrent: true,
		HostRecorded: m.Host && m.Disk != fsm.StateParentOwned, Boundary: "none", BoundaryEmpty: m.Note || m.Bounded && a.Gate == "ended"}
	f.BoundaryClosed, f.Carriers = f.BoundaryEmpty, verdict.Absent
	if m.Bounded {
		f.Boundary = "subreaper"
	}
	switch a.Place {
	case "reboot":
		f.OwnerBootCurrent, f.HostBootCurrent = false, false
		return f
	case "there":
		f.Place = verdict.PlaceOther // and the living look dead from there
	case "here":
		if a.Owner != "dead" {
			f.Owner = verdict.Live
		}
		if a.Gate == "alive" {
			f.Host = verdict.Live
		}
	}
	if a.Owner == "at-work" {
		f.Lock = verdict.LockHeld
	}
	return f
}

// Judgement is what everybody says about one moment after one accident.
type Judgement struct {
	Outcome   verdict.Outcome `json:"outcome"` // "" where there is no lease
	Rule      string          `json:"rule"`
	Because   string          `json:"because"`
	Missing   []string        `json:"missing"`
	Next      string          `json:"next"`
	Block     verdict.Block   `json:"block"`     // acquire, policy Strict; "" admits
	Removable bool            `json:"removable"` // doctor --apply clears it
	Repaired  bool            `json:"repaired"`  // so does the routine repair
	Original  [2]string       `json:"original"`  // the original's acquire and doctor, in its words
}

// Judge has the lease judged as it is on disk at m, after a.
func (m Moment) Judge(a Accident) Judgement {
	if m.Disk == fsm.StateAbsent || m.Disk == fsm.StateReleased {
		return Judgement{Rule: "no-lease", Because: "there is no lease: nothing is on record to block for", Missing: []string{}, Next: "list",
			Original: [2]string{"admitted", "nothing to do"}}
	}
	f := m.Facts(a)
	v := verdict.Judge(f)
	j := Judgement{Outcome: v.Outcome, Rule: v.Rule, Because: v.Because, Missing: append([]string{}, v.Missing...), Next: cli.CommandFor(v.Next, "ID", "DIGEST"),
		Block: v.Admit(f.State), Removable: v.Removes(verdict.Recover, f), Repaired: v.Removes(verdict.Repair, f)}
	j.Original = [2]string{"admitted", string(verdict.Original.Decide(verdict.Recover, f))}
	if b := verdict.Original.Admit(f); b != verdict.Admitted {
		j.Original[0] = string(b)
	}
	return j
}

// Fates says in three words each what comes of a crash at m: the owner killed (its gate then ends what is left, and itself);
// owner and gate killed; the power lost.
func (m Moment) Fates() []string {
	gate, dead := "none", "none"
	switch m.Gate {
	case Shut, Open:
		gate, dead = "ended", "killed"
	case Killed:
		gate, dead = "killed", "killed"
	}
	lost := m
	lost.Disk = m.Settled
	return []string{
		m.Judge(Accident{Owner: "dead", Gate: gate, Place: "here"}).Fate(),
		m.Judge(Accident{Owner: "dead", Gate: dead, Place: "here"}).Fate(),
		fate(m.Judge(Accident{Place: "reboot"}), lost.Judge(Accident{Place: "reboot"})),
	}
}

// Fate is a judgement in a few words.
func (j Judgement) Fate() string {
	switch {
	case j.Outcome == "":
		return "no lease"
	case j.Removable && j.Block == verdict.Admitted:
		return string(j.Outcome) + ": the doctor clears it; blocks nothing"
	case j.Removable:
		return string(j.Outcome) + ": the doctor clears it"
	case j.Block == verdict.Admitted:
		return string(j.Outcome) + ": blocks nothing"
	}
	return string(j.Outcome) + ": blocks until proof"
}

// fate joins what comes of the new bytes and of the old ones.
func fate(now, before Judgement) string {
	if now.Fate() == before.Fate() {
		return now.Fate()
	}
	return now.Fate() + ", or " + before.Fate()
}
