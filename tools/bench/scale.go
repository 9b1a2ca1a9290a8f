//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// scale measures homes of more and more leases of other plugins, in memory.
func scale(_ context.Context, out *bytes.Buffer, p places, most int) error {
	fmt.Fprintf(out, "\n### Homes of many leases of other plugins (memory; ÷ readdir + open + read + close of the same files)\n\n")
	fmt.Fprintf(out, "| leases | bare | acquire, cold | acquire, warm | list | doctor | resident after bare, acquire, doctor |\n")
	fmt.Fprintf(out, "| --- | --- | --- | --- | --- | --- | --- |\n")
	for n := 100; n <= most; n *= 10 {
		home := filepath.Join(p.memory, fmt.Sprintf("scale-%d", n))
		leave, err := fill(home, n)
		if err != nil {
			return err
		}
		f, err := figuresOf(home, "all")
		if err = errors.Join(err, leave()); err != nil {
			return err
		}
		row := func(d time.Duration) string { return fmt.Sprintf("%s (%.2f)", short(d), float64(d)/float64(f.Bare)) }
		fmt.Fprintf(out, "| %d | %s | %s | %s | %s | %s | %d, %d, %d MB |\n", n, short(f.Bare), row(f.Cold), row(f.Warm), row(f.List),
			row(f.Doctor), f.BareMemory>>20, f.AcquireMemory>>20, f.ListMemory>>20)
		if err := os.RemoveAll(home); err != nil {
			return err
		}
	}
	return nil
}
