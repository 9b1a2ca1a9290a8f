// Vectorgen makes the cases that this project adds to schema/vectors: cases.jsonl,
// cuts.jsonl and large.jsonl.
//
//	vectorgen           says whether the files are what it would write, and fails if not
//	vectorgen -write    writes them
//
// Every case is made from a valid document by one change, and its verdicts follow
// from the change and from what the schemas say in words. Nothing here calls the
// decoder: a vector that was made by asking the program could not prove it wrong.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
