package book

import (
	"fmt"

	"containlease/fsm"
	"containlease/gen/wire"
	"containlease/persist"
	"containlease/tools/cli"
	"containlease/tools/leasedoc/internal/explain"
)

// classes and kinds in the order of their packages.
var (
	classes = []fsm.Class{fsm.OutOfOrder, fsm.HostAdmissionChanged, fsm.CompleteAfterUnsafe, fsm.UnsafeAfterComplete, fsm.NotComplete}
	kinds   = []persist.Kind{persist.ForeignName, persist.NotRegular, persist.NotPrivate, persist.TooLarge, persist.Unreadable, persist.Unstable}
)

func (p *page) errors() {
	p.heading("9. Errors")
	var rows [][]string
	for _, e := range explain.Errors {
		exit := cli.ExitOf(e.Err)
		rows = append(rows, []string{code(e.Name), e.Err.Error(), fmt.Sprintf("%d %s", exit.Code, exit.Name), e.Cause, e.Do, e.Doctor})
	}
	p.table([]string{"error", "text", "exit", "cause", "what to do", "can the doctor clear it"}, rows)
	p.sub("Exit codes")
	rows = nil
	for _, e := range cli.Exits {
		rows = append(rows, []string{fmt.Sprint(e.Code), code(e.Name), e.Meaning})
	}
	p.table([]string{"code", "name", "meaning"}, rows)
	p.sub("Why a stored record is not taken")
	for _, k := range kinds {
		p.point("%s: %s.", code(k), explain.Kinds[k])
	}
	p.sub("Why a document is refused")
	p.say("A `*wire.DecodeError` has one of these codes, a JSON pointer and an offset. They exit with %d.\n", cli.ExitOf(&wire.DecodeError{}).Code)
	for _, c := range wire.Codes {
		p.point("%s", code(c))
	}
}
