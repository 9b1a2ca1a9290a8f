package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// endOfOutput is what the shell prints after each command: a control character that no program here prints.
const endOfOutput = '\x1e'

// theHome is what files call the home directory of whoever types.
const theHome = "/home/you"

// session is one shell, in a directory of its own, that is told one command after the other.
type session struct {
	dir    string
	shell  *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	shows  pairs // from what the file shows to what it is here
}

// open builds the program and starts the shell. given are translations to begin with.
func open(ctx context.Context, given pairs) (s *session, err error) {
	s = &session{shows: pairs{}}
	if s.dir, err = os.MkdirTemp("", "containlease-readme-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(s.dir))
		}
	}()
	home := filepath.Join(s.dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	bin := filepath.Join(s.dir, "bin")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), "containlease/tools/containlease")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building containlease: %w\n%s", err, out)
	}
	for shown, actual := range given {
		s.shows[shown] = actual
	}
	s.shows[theHome] = home
	s.shell = exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-s")
	s.shell.Dir = home
	s.shell.Env = []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC",
		"TERM=dumb", "TMPDIR=" + s.dir, "GORACE=" + os.Getenv("GORACE")}
	return s, s.start()
}

func (s *session) start() (err error) {
	if s.stdin, err = s.shell.StdinPipe(); err != nil {
		return err
	}
	out, err := s.shell.StdoutPipe()
	if err != nil {
		return err
	}
	s.shell.Stderr = s.shell.Stdout
	s.stdout = bufio.NewReader(out)
	return s.shell.Start()
}

// say has the shell run the command, and returns its output in the file's words: as shown, if that says the same.
func (s *session) say(c command) (string, error) {
	script := translate(c.script(), s.shows)
	if _, err := fmt.Fprintf(s.stdin, "{\n%s} </dev/null\nprintf '\\036'\n", script); err != nil {
		return "", fmt.Errorf("%s: %w", strings.TrimSpace(script), err)
	}
	actual, err := s.stdout.ReadString(byte(endOfOutput))
	if err != nil {
		return "", fmt.Errorf("%s: the session ended: %w\n%s", strings.TrimSpace(script), err, actual)
	}
	actual = strings.TrimSuffix(actual, string(endOfOutput))
	if actual != "" && !strings.HasSuffix(actual, "\n") {
		actual += "\n"
	}
	if s.learn(c.shown, actual) {
		return c.shown, nil
	}
	return translate(actual, reversed(s.shows)), nil
}

// close ends the shell and removes what the session made.
func (s *session) close() error {
	err := s.stdin.Close()
	if werr := s.shell.Wait(); werr != nil && s.shell.ProcessState == nil { // its status is the last command's
		err = errors.Join(err, werr)
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
