//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"containlease/fsm"
)

// printRows prints the table and returns how many promises were broken.
func printRows(rows []row, took time.Duration) int {
	total := row{call: "all", seen: map[fsm.State]int{}}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "system call\tkilled at\tfailed\tstates found on disk\tpromises broken")
	for _, r := range rows {
		total.kills.tried, total.kills.of = total.kills.tried+r.kills.tried, total.kills.of+r.kills.of
		total.failures.tried, total.failures.of = total.failures.tried+r.failures.tried, total.failures.of+r.failures.of
		total.broken = append(total.broken, r.broken...)
		for s, n := range r.seen {
			total.seen[s] += n
		}
		printRow(w, r)
	}
	printRow(w, total)
	w.Flush()
	for _, b := range total.broken {
		fmt.Println("BROKEN:", b)
	}
	fmt.Printf("%d victims in %s\n", total.kills.tried+total.failures.tried, took.Round(time.Second))
	return len(total.broken)
}

func printRow(w *tabwriter.Writer, r row) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", r.call, r.kills, r.failures, states(r.seen), len(r.broken))
}

func states(seen map[fsm.State]int) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(seen)) {
		parts = append(parts, fmt.Sprintf("%s %d", s, seen[s]))
	}
	return strings.Join(parts, ", ")
}
