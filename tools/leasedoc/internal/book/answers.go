package book

import (
	"strings"

	"containlease/tools/internal/answers"
)

const answersLead = `Which system call proves what, on the way to the end of an invocation. Only the answer that is named counts; every other one, an error,
a short one or an odd one, leads to what stands beside it, and never to a proof. ` + "`make crash`" + ` has each of these calls refused, with every errno, while a
child that is deaf to TERM lives.`

func answersDocument() string {
	p := newPage("What the kernel has to say", answersLead)
	for _, who := range []string{answers.Owner, answers.Gate, answers.Front} {
		p.heading("The " + who)
		var rows [][]string
		for _, a := range answers.Table {
			if a.Who == who {
				rows = append(rows, []string{a.For, code(strings.Join(a.Calls, " ")), a.Counts, a.Otherwise})
			}
		}
		p.table([]string{"what for", "calls", "what counts", "every other answer"}, rows)
	}
	return p.String()
}
