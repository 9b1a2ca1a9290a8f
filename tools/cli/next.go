package cli

import (
	"errors"
	"strings"

	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist"
)

// ownWords stands in a printed command where a reason belongs: retire, quarantine and adopt refuse it as it stands, so that
// nobody vouches for what nobody has looked at.
const ownWords = "'…'"

// command is what to type for a next step: this program, this home and store, and nothing that could mean anything else by the
// time that it is typed. "" where there is none.
func (a *app) command(n lease.Next) string {
	digest := digestNone
	if n.Digest != (persist.Digest{}) {
		digest = n.Digest.String()
	}
	words := CommandFor(n.Action, quote(n.Lease), digest)
	if words == "" {
		return ""
	}
	return a.typed(words)
}

// CommandFor is the command of an action, without the program's name and what says which home. id and digest are words for a
// shell. "" for no action. The generated documents are made from it.
func CommandFor(act verdict.Action, id, digest string) string {
	return map[verdict.Action]string{
		verdict.ActLook:       "show " + id,
		verdict.ActClear:      "doctor --apply",
		verdict.ActStop:       "stop " + id,
		verdict.ActVouch:      "doctor --single-pid-namespace --apply",
		verdict.ActRetire:     "retire " + id + " --digest " + digest + " --reason " + ownWords,
		verdict.ActQuarantine: "quarantine --digest " + digest + " --reason " + ownWords + " -- " + id,
		verdict.ActAdopt:      "adopt --reason " + ownWords,
	}[act]
}

// typed is a command of this program about this home.
func (a *app) typed(words string) string {
	s := program + " --home " + quote(a.dir)
	if a.trustParents {
		s += " --trust-parents"
	}
	if a.store != "" {
		s += " --store " + quote(a.store)
	}
	return s + " " + words
}

// after is the next step that goes with an error, with what to put before it; "" where there is none.
func (a *app) after(err error) string {
	var blocked *lease.BlockedError
	var refused *lease.DecisionError
	var plugin *lease.PluginRecordError
	var n lease.Next
	switch {
	case errors.As(err, &plugin):
		return "; next: " + a.typed(enableAnew)
	case errors.As(err, &blocked):
		n = blocked.Lease.Next
	case errors.As(err, &refused):
		if next, ok := refused.Next(); ok {
			n = next
		}
	case errors.Is(err, lease.ErrOtherHome):
		n = lease.Next{Action: verdict.ActAdopt}
	}
	if c := a.command(n); c != "" && a.dir != "" {
		return "; next: " + c
	}
	return ""
}

// quote makes one word for a POSIX shell, and leaves alone what is one already.
func quote(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+:@%,=", c)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
