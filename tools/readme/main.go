// Readme runs what a Markdown file tells its reader to type, and holds what is printed against what the file shows.
//
//	readme FILE...          prints how the outputs differ from those shown, and fails if they do
//	readme -write FILE...   puts the outputs into the files
//
// It runs the fenced blocks that are marked console. A line that begins with "$ " is a command, "> " goes on with it, and
// what follows is its output, both streams as they come. All blocks of a file are one session of bash, in an empty home, with
// containlease as built from this checkout. What cannot be the same twice (see variable) is compared by its kind alone, and
// the reader's copy of it is translated in later commands: an id that the file shows stands for the id of this session.
// -as SHOWN=ACTUAL translates more, such as the address of a server.
//
// Run it in the folder tools.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
