package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// record is what the demonstration reads of a lease in the program's JSON.
type record struct {
	LeaseID string `json:"leaseId"`
	State   string `json:"state"`
	Host    *struct {
		PID int64 `json:"pid"`
	} `json:"host"`
	Verdict json.RawMessage `json:"verdict"`
}

type verdict struct {
	Outcome, Rule, Because, Next string
	Facts                        map[string]string
	Details, Missing             []string
}

func (d *demo) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(d.ctx, d.program, args...)
	c.Env = append(os.Environ(), "CONTAINLEASE_HOME="+d.home)
	return c
}

// ask runs the program and returns its exit code with what it wrote.
func (d *demo) ask(args ...string) (code int, stdout, stderr string, err error) {
	c := d.command(args...)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	return code, out.String(), problems.String(), err
}

// list returns what `containlease list` says.
func (d *demo) list() ([]record, error) {
	var l struct{ Leases []record }
	return l.Leases, d.askJSON(0, &l, "list")
}

// askJSON decodes the program's JSON, and wants that exit code.
func (d *demo) askJSON(want int, into any, args ...string) error {
	code, stdout, stderr, err := d.ask(append(args, "--output", "json")...)
	if err == nil && code != want {
		err = fmt.Errorf("containlease %v ends with %d, not %d: %s", args, code, want, stderr)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(stdout), into)
}

func (r record) read() (v verdict, err error) {
	err = json.Unmarshal(r.Verdict, &v)
	return v, err
}

// exists reports whether there is a process, a zombie included, of that number.
func exists(pid string) bool {
	_, err := os.Stat("/proc/" + pid)
	return err == nil
}
