//go:build unix

package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// judged is a lease as the program prints it.
type judged struct {
	LeaseID string
	Blocks  string
	Verdict map[string]any
}

// answers are all that the commands print of leases.
type answers struct {
	judged
	Leases, Findings []judged
	BlockedBy        *judged
}

// verdict-agrees RULE [PREFIX...]: of the only lease acquire (run), list, show and doctor say the same to the letter, by this rule:
// what is missing and the next command too. Each is asked behind PREFIX, such as a script that goes elsewhere first.
func verdictAgrees(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: verdict-agrees RULE [PREFIX...]")
	}
	listed := asks(ts, args[1:], "list").Leases
	if len(listed) != 1 {
		ts.Fatalf("list says %v", listed)
	}
	want := listed[0]
	if want.Verdict["rule"] != args[0] {
		ts.Fatalf("the verdict is %v", want.Verdict)
	}
	all := []judged{asks(ts, args[1:], "show", want.LeaseID).judged}
	if want.Blocks != "" {
		all = append(all, asks(ts, args[1:], "doctor").Findings...)
		said, text := runs(ts, args[1:])
		all = append(all, said)
		for _, part := range append(want.Verdict["missing"].([]any), want.Verdict["next"], want.LeaseID) {
			if !strings.Contains(text, part.(string)) {
				ts.Fatalf("run does not say %q, but\n%s", part, text)
			}
		}
	} else if said, _ := runs(ts, args[1:]); said.Verdict != nil || len(asks(ts, args[1:], "doctor").Findings) > 0 {
		ts.Fatalf("list says that it blocks nothing, and run or doctor that it does")
	}
	for _, other := range all {
		if !reflect.DeepEqual(other, want) {
			ts.Fatalf("one says %v, list said %v", other, want)
		}
	}
	if want.Blocks != "" && len(all) != 3 {
		ts.Fatalf("doctor finds %d leases", len(all)-2)
	}
}

// asks runs one command for its JSON, whatever it exits with.
func asks(ts *testscript.TestScript, prefix []string, args ...string) (out answers) {
	_, text := outcome(ts, prefix, append(append([]string{"containlease"}, args...), "--output", "json")...)
	ts.Check(json.Unmarshal([]byte(text), &out))
	for _, j := range append(append(out.Leases, out.Findings...), out.judged) {
		delete(j.Verdict, sights)
		delete(j.Verdict, unseen)
	}
	return out
}

// sights are what was seen of the processes, which is another in each look: a zombie is reaped at some time.
const sights = "details"

// unseen counts other users' processes, which come and go.
const unseen = "unseen"

// runs tries to start the lease's plugin, which is sh: what is in its way, and what is said then.
func runs(ts *testscript.TestScript, prefix []string) (judged, string) {
	dir := ts.MkAbs("said")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.Chmod(dir, 0o777)) // whoever it runs as
	path := filepath.Join(dir, "status")
	code, _ := outcome(ts, prefix, "containlease", "run", "--status-file", path, "--", "sh", "-c", ":")
	var s answers
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(path)), &s))
	ts.Check(os.RemoveAll(dir))
	if (code == 76) != (s.BlockedBy != nil) {
		ts.Fatalf("run exits with %d", code)
	}
	if s.BlockedBy == nil {
		return judged{}, ""
	}
	delete(s.BlockedBy.Verdict, sights)
	delete(s.BlockedBy.Verdict, unseen)
	return *s.BlockedBy, ts.ReadFile("stderr")
}

// outcome is how a command ends, and its stdout.
func outcome(ts *testscript.TestScript, prefix []string, args ...string) (code int, stdout string) {
	argv := append(append([]string{}, prefix...), args...)
	var exit *exec.ExitError
	if err := ts.Exec(argv[0], argv[1:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	return code, ts.ReadFile("stdout")
}

// types CODE PATTERN [PREFIX...]: the only lease's next command, which matches, ends with CODE when a shell is given it, behind PREFIX;
// with words of the test where it wants a reason, after it was refused without.
func types(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: types CODE PATTERN [PREFIX...]")
	}
	listed := asks(ts, args[2:], "list").Leases
	if len(listed) != 1 {
		ts.Fatalf("list says %v", listed)
	}
	next := listed[0].Verdict["next"].(string)
	if !regexp.MustCompile(args[1]).MatchString(next) {
		ts.Fatalf("the next command is %s", next)
	}
	code, _ := outcome(ts, args[2:], "sh", "-c", next)
	if inOwnWords := strings.ReplaceAll(next, "'…'", "'the test has looked'"); inOwnWords != next {
		if code != 64 || len(asks(ts, args[2:], "list").Leases) != 1 {
			ts.Fatalf("%s\nas it stands ends with %d", next, code)
		}
		code, _ = outcome(ts, args[2:], "sh", "-c", inOwnWords)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s\nends with %d", next, code)
	}
}
