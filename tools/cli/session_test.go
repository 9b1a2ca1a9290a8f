//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/persist/file"
	"containlease/tools/cli"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/sys/unix"
)

// patience bounds every wait of a session; it is only ever used up by a failure.
const patience = 20 * time.Second

// sessionCommands are what a session can do beyond testscript's own commands.
var sessionCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":           exits,
	"hears":           hears,
	"json":            jsonIs,
	"kill-recorded":   killRecorded,
	"await-recorded":  awaitRecorded,
	"hold-catalogue":  holdCatalogue,
	"verdict-agrees":  verdictAgrees,
	"types":           types,
	"signal-recorded": signalRecorded,
	"says":            says,
}

// conditions are what a session may ask of this machine: [pidns], may this user make a PID namespace? [machineid], mount something
// over the machine's id? [cgroup], make a control group? [nobody], be nobody, to whom /proc hides processes?
// [ids], make a container, on a kernel that gives ids to namespaces?
var conditions = map[string][]string{
	"pidns":     {"unshare", "--pid", "--fork", "--mount-proc", "true"},
	"machineid": {"unshare", "--mount", "mount", "--bind", "/etc/hostname", "/etc/machine-id"},
	"ids": {"unshare", "-r", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c",
		`printf '6.18\n%s\n' "$(uname -r)" | sort -CV`},
	"nobody": {"unshare", "--mount", "sh", "-c", "mount -t proc -o hidepid=2 proc /proc && " +
		"exec setpriv --reuid 65534 --regid 65534 --clear-groups true"},
}

func condition(name string) (bool, error) {
	if name == "cgroup" {
		_, err := host.Choose(host.WithBoundary(string(leasefile.BoundaryKindCgroupV2)))
		return err == nil, nil
	}
	try, known := conditions[name]
	if !known {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return exec.Command(try[0], try[1:]...).Run() == nil, nil
}

// exits CODE CMD ARGS...: the command ends with exactly this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE CMD ARGS...")
	}
	code := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it exits with %d, not %s", code, args[0])
	}
}

// hears FIFO PATTERN: the next line that somebody writes into the FIFO matches. It waits for the line, but not for ever.
func hears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hears FIFO PATTERN")
	}
	// Reading and writing: so the open does not wait, and there is no end of file between two writers.
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR|syscall.O_NONBLOCK, 0)
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetReadDeadline(time.Now().Add(patience)))
	line, err := bufio.NewReader(f).ReadString('\n')
	if err == nil && !regexp.MustCompile(args[1]).MatchString(line) {
		err = fmt.Errorf("it says %q, which does not match %s", line, args[1])
	}
	if err != nil {
		// testscript would interrupt what runs in the background and wait: for ever, if it is deaf.
		for _, c := range ts.BackgroundCmds() {
			_ = c.Process.Kill()
		}
		ts.Fatalf("waiting for %s: %v", args[0], err)
	}
}

// json SOURCE PATH WANT: the document in SOURCE (stdout or a file) obeys its published schema, and has WANT at PATH, such as
// leases.0.state; count is the length of a list, and ours that of what speaks
// of the session's own files: control groups of other tests may be listed too. Values compare as text, null is "null".
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: json SOURCE PATH WANT")
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(obeysItsSchema(document))
	for name := range strings.SplitSeq(args[1], ".") {
		switch at := document.(type) {
		case map[string]any:
			value, ok := at[name]
			if !ok {
				ts.Fatalf("there is no %s in %v", name, at)
			}
			document = value
		case []any:
			if name == "count" || name == "ours" {
				if name == "ours" {
					at = slices.DeleteFunc(at, func(e any) bool { return !strings.Contains(fmt.Sprint(e), ts.Getenv("WORK")) })
				}
				document = json.Number(strconv.Itoa(len(at)))
				break
			}
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(at) {
				ts.Fatalf("there is no element %s in a list of %d", name, len(at))
			}
			document = at[n]
		default:
			ts.Fatalf("%v has no %s", at, name)
		}
	}
	got := fmt.Sprint(document)
	if document == nil {
		got = "null"
	}
	if got != args[2] {
		ts.Fatalf("%s is %s, not %s", args[1], got, args[2])
	}
}

// obeysItsSchema asks the program itself for the schema that the document names.
func obeysItsSchema(document any) error {
	top, _ := document.(map[string]any)
	name, _ := top["schema"].(string)
	var text, problem bytes.Buffer
	if code := cli.Do([]string{"schema", strings.TrimPrefix(name, "containlease/")}, nil, &text, &problem); code != 0 {
		return fmt.Errorf("no schema for %q: %s", name, problem.String())
	}
	parsed, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	id := parsed.(map[string]any)["$id"].(string)
	if err := c.AddResource(id, parsed); err != nil {
		return err
	}
	s, err := c.Compile(id)
	if err != nil {
		return err
	}
	return s.Validate(document)
}

// recorded pins the owner or the host of the only lease of the home.
func recorded(ts *testscript.TestScript, who string) *process.Pidfd {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("CONTAINLEASE_HOME"), "leases", "*.json"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("there are %d leases, not 1", len(files))
	}
	b, err := os.ReadFile(files[0])
	ts.Check(err)
	l, err := leasefile.DecodeFile(b)
	ts.Check(err)
	pid := l.OwnedBy().PID
	if who == "host" {
		pid = l.(*leasefile.LeaseV2).Containment.Host.PID
	}
	p, err := process.OpenPidfd(pid)
	ts.Check(err)
	return p
}

func await(ts *testscript.TestScript, p *process.Pidfd) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(p.Wait(ctx))
	ts.Check(p.Close())
}

// kill-recorded owner|host: kills it with SIGKILL and waits until it is dead.
func killRecorded(ts *testscript.TestScript, _ bool, args []string) {
	p := recorded(ts, args[0])
	ts.Check(p.Signal(syscall.SIGKILL))
	await(ts, p)
}

// await-recorded owner|host CMD ARGS...: runs the command and then waits until the process has ended by itself.
func awaitRecorded(ts *testscript.TestScript, _ bool, args []string) {
	p := recorded(ts, args[0])
	ts.Check(ts.Exec(args[1], args[2:]...))
	await(ts, p)
}

// hold-catalogue holds the catalogue lock of the home until the session ends.
func holdCatalogue(ts *testscript.TestScript, _ bool, _ []string) {
	home, err := file.Open(ts.Getenv("CONTAINLEASE_HOME"))
	ts.Check(err)
	lock, err := home.Lock(context.Background(), file.Exclusive, nil)
	ts.Check(err)
	ts.Defer(func() {
		ts.Check(lock.Unlock())
		ts.Check(home.Close())
	})
}

// signal-recorded owner|host NAME: sends it one signal.
func signalRecorded(ts *testscript.TestScript, _ bool, args []string) {
	p := recorded(ts, args[0])
	ts.Check(p.Signal(unix.SignalNum("SIG" + args[1])))
	ts.Check(p.Close())
}
