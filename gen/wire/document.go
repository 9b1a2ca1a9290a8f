package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Newer returns err, the reason why b was refused, unless b is a document of a
// later version than known, the latest that the caller understands: then that is
// the reason, whatever was met first.
func Newer(err error, b []byte, known int64) error {
	version, _, ok := Peek(b, "schemaVersion", "", "")
	if !ok || version.Number <= known {
		return err
	}
	return &DecodeError{
		Code: NewerVersion, Pointer: "/schemaVersion", Offset: version.Offset,
		Detail: fmt.Sprintf("version %d is newer than this program knows, which is up to %d", version.Number, known),
	}
}

// Only says why b, of which err is what the decoder of all versions says, is not read as
// a document of one version: err, or that it is of another one.
func Only(err error, b []byte, version int64) error {
	if errors.Is(err, TooLarge) {
		return err // what is too large is not looked at
	}
	if top, _, ok := Peek(b, "schemaVersion", "", ""); ok && err == nil {
		err = &DecodeError{
			Code: Range, Pointer: "/schemaVersion", Offset: top.Offset,
			Detail: fmt.Sprintf("expected %d, found version %d", version, top.Number),
		}
	}
	return Newer(err, b, version)
}

// CheckName refuses the document b, in canonical bytes, if its file is named after
// another one. name is the last element of the file's path; it says something only
// if it is a string that t describes with .json behind it. member is the name of
// the member that holds id.
func CheckName(name string, t *Text, b []byte, member, id string) error {
	stem, found := strings.CutSuffix(name, ".json")
	if !found || !t.Matches(stem) || stem == id {
		return nil
	}
	return &DecodeError{
		Code: NameMismatch, Pointer: "/" + member, Offset: bytes.Index(b, []byte(`"`+id+`"`)) + 1,
		Detail: fmt.Sprintf("the file is called %s, but this is %s", name, id),
	}
}

// Matches reports whether t describes s.
func (t *Text) Matches(s string) bool {
	n, ok := t.Match([]byte(s))
	return ok && n == len(s) && utf8.ValidString(s) && utf8.RuneCountInString(s) <= t.Max
}
