// Package schema is the contract: the JSON Schemas (draft 2020-12) of every
// record that containlease keeps on disk, embedded so that a program can hand
// them out without finding this repository.
//
// The schemas are the only place where a record's shape is written down. The
// Go types, the strict decoders and the canonical encoders of package leasefile
// are generated from them, and a program in any other language can validate
// with them as they are. Each schema's description lists what JSON Schema cannot
// say and a reader must check besides: canonical bytes, duplicate names, size,
// file name, UTF-8, trailing data.
//
// The folder vectors holds documents with their verdicts, for implementers in
// any language.
package schema

import (
	"embed"
	"io/fs"
	"strings"
)

const suffix = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// Names lists the schemas in byte order, without their file suffix: "lease-v2".
// The caller owns the slice.
func Names() []string {
	// The pattern is a constant that Match accepts: Glob has no other error.
	paths, _ := fs.Glob(files, "*"+suffix)
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(path, suffix)
	}
	return names
}

// Read returns the text of one schema, named as Names does, and whether there is
// one of that name. The caller owns the slice.
func Read(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + suffix)
	return text, err == nil
}
