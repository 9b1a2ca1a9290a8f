package main

import (
	"flag"
	"fmt"
	"io"

	"containlease/schema"
	"containlease/tools/internal/drift"
	"containlease/tools/leasegen/internal/emit"
	"containlease/tools/leasegen/internal/ir"
	"containlease/tools/leasegen/internal/source"
)

// documents are the schemas of the records on disk, in the order of their versions.
// Schemas of what programs only print need no decoder and are not listed.
var documents = []string{
	"lease-v1", "lease-v2", "identity-v1", "evidence-v1", "evidence-v2", "plugin-v1", "home-v1", "machine-v1", "empty-v1",
	"audit-v1",
}

// run is the program: 0 is success, 1 is drift or a refused schema, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("leasegen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "write the generated files instead of comparing them")
	dir := flags.String("dir", "../gen/leasefile", "folder of the generated files")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	folder := drift.Folder{Dir: *dir, Pattern: "*_gen.go"}
	files, err := generate()
	if err == nil && *write {
		err = folder.Replace(files)
	}
	if err != nil {
		fmt.Fprintln(stderr, "leasegen:", err)
		return 1
	}
	changes, err := folder.Compare(files)
	if err != nil {
		fmt.Fprintln(stderr, "leasegen:", err)
		return 1
	}
	if changes != "" {
		fmt.Fprint(stdout, changes)
		fmt.Fprintln(stderr, "leasegen: the generated files are not what the schemas say; run leasegen -write")
		return 1
	}
	return 0
}

// generate prints all files by name.
func generate() (map[string][]byte, error) {
	var schemas []*source.Schema
	for _, name := range documents {
		text, ok := schema.Read(name)
		if !ok {
			return nil, fmt.Errorf("there is no schema %s", name)
		}
		loaded, err := source.Load(name, text)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, loaded)
	}
	pkg, err := ir.Build(schemas)
	if err != nil {
		return nil, err
	}
	return emit.Package(pkg, target)
}
