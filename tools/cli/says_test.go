//go:build unix

package cli_test

import (
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// says FILE PATTERN [COPY]: somebody writes a line into the file that matches, now or soon; COPY is a file for that line.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: says FILE PATTERN [COPY]")
	}
	wanted := regexp.MustCompile(args[1])
	var heard string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		heard = ts.ReadFile(args[0])
		for line := range strings.Lines(heard) {
			if !wanted.MatchString(line) || !strings.HasSuffix(line, "\n") {
				continue
			}
			if len(args) == 3 {
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(line), 0o600))
			}
			return
		}
	}
	for _, c := range ts.BackgroundCmds() {
		_ = c.Process.Kill() // testscript would interrupt it and wait
	}
	ts.Fatalf("%s says nothing that matches %s, only:\n%s", args[0], args[1], heard)
}
