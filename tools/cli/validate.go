package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"containlease/gen/wire"
	"containlease/persist"

	"github.com/spf13/cobra"
)

type validation struct {
	Schema  string      `json:"schema"`
	Files   []validated `json:"files"`
	Valid   int         `json:"valid"` // files whose file level is ok
	Invalid int         `json:"invalid"`
}

type validated struct {
	Path          string  `json:"path"`
	SchemaVersion *int    `json:"schemaVersion" jsonschema:"nullable"` // null where it is no such document
	Value         level   `json:"value"`
	File          level   `json:"file"`
	Digest        *string `json:"digest" jsonschema:"nullable"` // of the bytes; null where they could not be read
}

// level is the answer at one of the two levels of strictness.
type level struct {
	OK    bool     `json:"ok"`
	Error *problem `json:"error,omitempty"`
}

type problem struct {
	Code    string `json:"code"` // a wire.Code, or a persist.Kind for what could not be read
	Pointer string `json:"pointer"`
	Offset  int    `json:"offset"`
	Message string `json:"message"`
}

func (a *app) validateCommand() *cobra.Command {
	var as string
	c := &cobra.Command{
		Use: "validate PATH...", Short: "Check lease files at both levels of strictness", Args: cobra.MinimumNArgs(1),
		Long: `validate reads files, all *.json below directories, and "-" for standard input, and answers twice
for each: at the value level (any spelling of JSON whose value obeys the schema) and at the file
level (exactly the canonical bytes, at most 32 KiB, and under the name <leaseId>.json where the
name is a UUID). It exits with 65 if a file is invalid at the file level. --as chooses another
kind of record: ` + strings.Join(kindNames(), ", ") + `.`,
		RunE: a.does(func(args []string) error { return a.validate(as, args) }),
	}
	c.Flags().StringVar(&as, "as", kindLease, "which kind of record")
	return c
}

func (a *app) validate(as string, paths []string) error {
	k, ok := kinds[as]
	if !ok {
		return usagef("--as knows %s, not %q", strings.Join(kindNames(), ", "), as)
	}
	out := validation{Schema: "containlease/validate-v1", Files: []validated{}}
	for _, path := range paths {
		err := eachFile(path, func(file string, err error) {
			v := a.validateFile(k, file, err)
			if v.File.OK {
				out.Valid++
			} else {
				out.Invalid++
			}
			out.Files = append(out.Files, v)
		})
		if err != nil {
			return err
		}
	}
	if err := a.printValidation(out); err != nil {
		return err
	}
	if out.Invalid > 0 {
		return &ended{code: exitInvalid}
	}
	return nil
}

// eachFile calls f for the file at path or, below a directory, for every *.json and for what could not be looked into.
func eachFile(path string, f func(file string, err error)) error {
	if path == "-" {
		f(path, nil)
		return nil
	}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			f(file, unreadable(file, err))
		case d.IsDir():
		case file == path || strings.HasSuffix(file, ".json"):
			f(file, nil)
		}
		return nil
	})
}

func (a *app) validateFile(k kind, path string, err error) validated {
	v := validated{Path: path}
	var b []byte
	if err == nil {
		b, err = a.readCarefully(path)
	}
	if err != nil {
		v.Value, v.File = levelOf(err), levelOf(err)
		return v
	}
	digest := persist.DigestOf(b).String()
	v.Digest = &digest
	version, err := k.value(b)
	if v.Value = levelOf(err); err == nil {
		v.SchemaVersion = &version
	}
	v.File = levelOf(k.file(filepath.Base(path), b))
	return v
}

func levelOf(err error) level {
	if err == nil {
		return level{OK: true}
	}
	p := problem{Message: err.Error()}
	var decode *wire.DecodeError
	var record *persist.RecordError
	switch {
	case errors.As(err, &decode):
		p.Code, p.Pointer, p.Offset, p.Message = string(decode.Code), decode.Pointer, decode.Offset, decode.Detail
	case errors.As(err, &record):
		p.Code = string(record.Kind)
	default:
		p.Code = string(persist.Unreadable)
	}
	return level{Error: &p}
}

func (a *app) printValidation(out validation) error {
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	var b strings.Builder
	for _, v := range out.Files {
		switch p := v.File.Error; {
		case v.File.OK:
		case v.Value.OK:
			fmt.Fprintf(&b, "%s: the value is valid, the file is not: %s\n", plain(v.Path), p)
		default:
			fmt.Fprintf(&b, "%s: %s\n", plain(v.Path), v.Value.Error)
		}
	}
	fmt.Fprintf(&b, "%d valid, %d invalid\n", out.Valid, out.Invalid)
	return a.print(b.String())
}

func (p *problem) String() string {
	return fmt.Sprintf("%s at %s (byte %d): %s", p.Code, choose(p.Pointer == "", "the document", p.Pointer), p.Offset, p.Message)
}
