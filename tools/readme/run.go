package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"containlease/tools/internal/drift"
)

// patience bounds the session of one file; it is only ever used up by a failure.
const patience = 2 * time.Minute

// run is the program: 0 is success, 1 is a difference or a session that could not be held, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("readme", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "write the outputs into the files instead of comparing them")
	given := pairs{}
	flags.Var(given, "as", "SHOWN=ACTUAL: what the file calls SHOWN is ACTUAL here; may be repeated")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	changes := ""
	for _, path := range flags.Args() {
		difference, err := bring(path, *write, given)
		if err != nil {
			fmt.Fprintf(stderr, "readme: %s: %v\n", path, err)
			return 1
		}
		changes += difference
	}
	if changes != "" {
		fmt.Fprint(stdout, changes)
		fmt.Fprintln(stderr, "readme: the outputs are not those shown; look at them, then run readme -write")
		return 1
	}
	return 0
}

// bring plays one file, writes the outcome if it shall, and returns how the two differ.
func bring(path string, write bool, given pairs) (difference string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := open(ctx, given)
	if err != nil {
		return "", err
	}
	played, err := play(string(text), s)
	if err := s.close(); err != nil {
		return "", err
	}
	if err != nil {
		return "", err
	}
	if write && played != string(text) {
		return "", os.WriteFile(path, []byte(played), 0o644)
	}
	folder := drift.Folder{Dir: filepath.Dir(path), Pattern: filepath.Base(path)}
	return folder.Compare(map[string][]byte{filepath.Base(path): []byte(played)})
}

// play returns text with the outputs as they are now; those that say the same are left as shown.
func play(text string, s *session) (string, error) {
	var b strings.Builder
	for _, p := range parse(text) {
		b.WriteString(p.prose)
		for _, c := range p.commands {
			printed, err := s.say(c)
			if err != nil {
				return "", err
			}
			b.WriteString(c.typed + printed)
		}
	}
	return b.String(), nil
}

// pairs are translations of what a file shows into what it is in this session.
type pairs map[string]string

func (p pairs) String() string { return "" }

func (p pairs) Set(s string) error {
	shown, actual, ok := strings.Cut(s, "=")
	if !ok || shown == "" || actual == "" {
		return fmt.Errorf("want SHOWN=ACTUAL")
	}
	p[shown] = actual
	return nil
}
