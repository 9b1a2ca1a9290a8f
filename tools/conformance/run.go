package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"containlease/tools/internal/vectors"
)

// seed makes the mutants the same everywhere.
const seed = 20261130

// run is the program: 0 is success, 1 is a disagreement or a validator that could not
// be asked, 2 wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	count := flags.Int("mutants", 200_000, "how many mutants to make")
	dir := flags.String("dir", "../schema/vectors", "folder of the vectors")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := conform(ctx, *dir, *count, stdout); err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	return 0
}

// errDisagree means that a validator and the decoder differ where they may not.
var errDisagree = errors.New("the decoder and a schema validator disagree")

// errNoAjv means that the JavaScript half could not run.
var errNoAjv = errors.New("the validator Ajv could not be asked")

func conform(ctx context.Context, dir string, count int, out io.Writer) error {
	documents, err := vectors.Documents(dir)
	if err != nil {
		return err
	}
	allowed, err := readDisagreements(dir)
	if err != nil {
		return err
	}
	s := &subjects{documents: documents, mutants: mutants(documents, count)}
	fmt.Fprintf(out, "%d documents of the corpus, %d mutants made with seed %d\n", len(documents), count, seed)

	ours := make([]string, s.len())
	s.each(func(i int, b []byte) { ours[i] = decode(b) })
	goHalf, err := newSanthosh()
	if err != nil {
		return err
	}
	surprises := 0
	start := time.Now()
	letters := make([]byte, s.len())
	s.each(func(i int, b []byte) { letters[i] = goHalf.verdict(b) })
	surprises += compare(out, "santhosh", s, ours, letters, allowed, time.Since(start))

	start = time.Now()
	letters, err = askAjv(ctx, dir, s)
	switch {
	case errors.Is(err, errNoAjv) && os.Getenv("CI") == "":
		fmt.Fprintf(out, "ajv: SKIPPED: %v\n", err)
	case err != nil:
		return err
	default:
		surprises += compare(out, "ajv", s, ours, letters, allowed, time.Since(start))
	}
	if surprises > 0 {
		return fmt.Errorf("%w: %d documents", errDisagree, surprises)
	}
	return nil
}
