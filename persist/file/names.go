package file

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of a home. What matches none of them is never written, and never removed.
const (
	leasesDir     = "leases"
	ownersDir     = "owners"
	pluginsDir    = "plugins"
	quarantineDir = "quarantine"
	lockName      = "lock"
	auditName     = "audit.jsonl"
	machineName   = "machine.json"

	recordSuffix = ".json"
	emptySuffix  = ".empty"
	lockSuffix   = ".lock"
	nextSuffix   = ".next"  // a file on its way to the name before it
	spareSuffix  = ".spare" // space that a lease already has, for its next content
	keyLength    = 36
)

var pluginID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func isPluginID(s string) bool { return len(s) <= 128 && pluginID.MatchString(s) }

// isKey accepts a UUID of version 4 in lower case. It runs several times for every name of a listing.
func isKey(s string) bool {
	if len(s) != keyLength || s[14] != '4' || s[19] != '8' && s[19] != '9' && s[19] != 'a' && s[19] != 'b' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

func recordFile(key string) string { return key + recordSuffix }
func spareFile(key string) string  { return "." + key + spareSuffix }
func nextFile(key string) string   { return "." + key + nextSuffix }

// recordKey is the key of a lease's file.
func recordKey(name string) (string, bool) {
	key, ok := strings.CutSuffix(name, recordSuffix)
	return key, ok && isKey(key)
}

// helperKey is the key whose spare or next file this is.
func helperKey(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, ".")
	if !ok || len(rest) < keyLength {
		return "", false
	}
	key, suffix := rest[:keyLength], rest[keyLength:]
	return key, isKey(key) && (suffix == spareSuffix || suffix == nextSuffix)
}

// ownerKey is the key of a file in owners/.
func ownerKey(name string) (string, bool) {
	if len(name) < keyLength {
		return "", false
	}
	key, suffix := name[:keyLength], strings.TrimSuffix(name[keyLength:], nextSuffix)
	return key, isKey(key) && (suffix == lockSuffix || suffix == recordSuffix || suffix == emptySuffix)
}

// printable returns the name as people and JSON can take it: as it is, or as a Go string literal where it has bytes
// that are not text. strconv.Unquote gives the bytes back.
func printable(name string) string {
	strange := func(r rune) bool { return r == '"' || !unicode.IsPrint(r) }
	if utf8.ValidString(name) && strings.IndexFunc(name, strange) < 0 {
		return name
	}
	return strconv.QuoteToASCII(name)
}

func checkKey(key string) error {
	if !isKey(key) {
		return fmt.Errorf("%w: %q is not a lower-case UUID of version 4", ErrName, key)
	}
	return nil
}
