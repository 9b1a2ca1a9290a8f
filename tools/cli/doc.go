// Package cli is the operator's program containlease as a function: [Do] takes the arguments and the standard files and
// returns the exit code, so that a test can be the program.
//
// Three rules hold for every command.
//
// Results go to stdout, everything else to stderr; with run, stdout is the plugin's alone. --output json gives one
// line of JSON whose member "schema" names its shape and version, containlease/list-v1 and so on.
//
// Commands that only read (list, show, validate, schema, plugin list, doctor without --apply) open the home read-only and
// create nothing, not even the home.
//
// Exit codes come from one table, [Exits]. An error carries the sentinel of the package that knows it, and one list maps
// sentinels to codes; no command chooses a number. run passes the plugin's own status through, and its status file
// tells a plugin's 75 from containlease's.
//
// What a lease means is never decided here: report.go turns a lease.Inspection into JSON and tables for list, show, doctor
// and run's status file alike, so that the four cannot disagree.
package cli
