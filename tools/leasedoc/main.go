// Leasedoc makes the documents that reviewers and operators read, and the input of the model checker, from the very values that
// the program runs: the lifecycle's table, the verdict tables, the errors and exit codes, the schemas.
//
//	leasedoc            prints how the generated files differ, and fails if they do
//	leasedoc -write     writes them
//
// Run it in the folder tools, or name the folder that holds docs, model and crashes by -dir. Words that explain are in
// internal/explain, keyed by what they explain; the world of the model and its runs are in model. What the checker found
// (model/results.txt, written by `make model`) is taken into the documents and has to belong to the present model; so is what the
// crash matrix of lease/host measured (crashes/measured.jsonl).
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
