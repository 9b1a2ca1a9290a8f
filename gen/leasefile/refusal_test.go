package leasefile_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
	"containlease/gen/wire"
)

const active = "001-valid-v2-host-active"

// edit replaces one text, which must occur, and returns the offset of the change.
func edit(t *testing.T, b []byte, old, new string) ([]byte, int) {
	t.Helper()
	at := bytes.Index(b, []byte(old))
	require.GreaterOrEqual(t, at, 0, old)
	return bytes.Replace(b, []byte(old), []byte(new), 1), at
}

// TestRefusals has one edit and one reason each; shift is how far behind the
// beginning of the edit the first wrong byte lies.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		code           wire.Code
		pointer        string
		shift          int
	}{
		{"no comma", `,"runId"`, ` "runId"`, wire.Syntax, "", 1},
		{"control character", `acme-social"`, "acme\x01\"", wire.Syntax, "/identity/adapterId", 4},
		{"broken escape", `acme-social"`, `acme\q"`, wire.Syntax, "/identity/adapterId", 5},
		{"not UTF-8", `acme-social"`, "acme\xff\"", wire.UTF8, "/identity/adapterId", 4},
		{"not UTF-8 in a name", `"runId"`, "\"ru\xff\"", wire.UTF8, "", 3},
		{"half a surrogate pair", `acme-social"`, `acme\ud83d"`, wire.UTF8, "/identity/adapterId", 4},
		{"byte order mark", `{"acq`, "\ufeff{\"acq", wire.UTF8, "", 0},
		{"name twice", `"pid":48213`, `"pid":48213,"pid":1`, wire.DuplicateKey, "/owner", 14},
		{"name twice, escaped", `"pid":48213`, `"pid":48213,"p\u0069d":1`, wire.DuplicateKey, "/owner", 14},
		{"name twice, at the end", `-active"}`, `-active","host":null}`, wire.DuplicateKey, "/containment", 8},
		{"unknown name", `"runId"`, `"runID"`, wire.UnknownKey, "", 5},
		{"unknown name at the end", `:2}`, `:2,"x":1}`, wire.UnknownKey, "", 2},
		{"name of another variant", `"status":"host-active"}`, `"status":"parent-owned"}`, wire.Enum, "/containment/status", 10},
		{"name missing", `"pid":48213,`, ``, wire.MissingKey, "/owner", 130},
		{"null", `"pid":48213`, `"pid":null`, wire.WrongType, "/owner/pid", 6},
		{"fraction", `"pid":48213`, `"pid":48213.5`, wire.WrongType, "/owner/pid", 13},
		{"array", `"pid":48213`, `"pid":[1]`, wire.WrongType, "/owner/pid", 6},
		{"pattern", `acme-social"`, `acme_social"`, wire.Pattern, "/identity/adapterId", 4},
		{"pattern of an escaped character", `acme-social"`, `acme\u005fsocial"`, wire.Pattern, "/identity/adapterId", 4},
		{"pattern not complete", `acme-web"`, `acme-"`, wire.Pattern, "/identity/surfaceId", 5},
		{"too long", `acme-web"`, strings.Repeat("a", 129) + `"`, wire.Length, "/identity/surfaceId", 128},
		{"too long, escaped", `acme-web"`, `\u0061` + strings.Repeat("a", 128) + `"`, wire.Length, "/identity/surfaceId", 133},
		{"too small", `"pid":48213`, `"pid":0`, wire.Range, "/owner/pid", 7},
		{"too large", `"contractVersion":3`, `"contractVersion":1000001`, wire.Range, "/identity/contractVersion", 24},
		{"constant", `"hostApiVersion":1`, `"hostApiVersion":2`, wire.Const, "/identity/hostApiVersion", 17},
		{"version that does not fit", `"schemaVersion":2`, `"schemaVersion":1`, wire.Const, "/schemaVersion", 16},
		{"enum", `"web-session-api"`, `"web-api"`, wire.Enum, "/identity/transport", 5},
		{"enum in another case", `"web-session-api"`, `"Web-session-api"`, wire.Enum, "/identity/transport", 1},
		{"trailing data", "}\n", "}\n{}", wire.TrailingData, "", 2},
		{"newer", `"schemaVersion":2`, `"schemaVersion":3`, wire.NewerVersion, "/schemaVersion", 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, at := edit(t, seed(t, active), c.old, c.new)
			_, err := leasefile.Decode(b)
			got := asDecodeError(t, err)
			require.Equal(t, c.code, got.Code, "%v", got)
			require.Equal(t, c.pointer, got.Pointer, "%v", got)
			require.Equal(t, at+c.shift, got.Offset, "%v", got)
			require.NotContains(t, got.Error(), "\n")
			checkRefusal(t, b, err)
		})
	}
}

func TestFileRefusals(t *testing.T) {
	document := seed(t, active)
	refused := func(b []byte) *leasefile.DecodeError {
		_, err := leasefile.Decode(b)
		require.NoError(t, err)
		_, err = leasefile.DecodeFile(b)
		return asDecodeError(t, err)
	}
	b, at := edit(t, document, `"pid":48213`, `"pid":48213.0`)
	got := refused(b)
	require.Equal(t, wire.NotCanonical, got.Code)
	require.Equal(t, "/owner/pid", got.Pointer)
	require.Equal(t, at+len(`"pid":48213`), got.Offset)

	got = refused(append([]byte(" "), document...))
	require.Equal(t, wire.DecodeError{Code: wire.NotCanonical, Detail: got.Detail}, *got)

	got = refused(bytes.TrimSuffix(document, []byte("\n")))
	require.Equal(t, len(document)-1, got.Offset)

	got = refused(append(document, bytes.Repeat([]byte(" "), wire.MaxFile)...))
	require.Equal(t, wire.TooLarge, got.Code)
	require.Equal(t, wire.MaxFile, got.Offset)

	_, err := leasefile.DecodeFileNamed("9a1c7d52-0e3b-4f68-a2d4-51b7c08e6f19.json", document)
	got = asDecodeError(t, err)
	require.Equal(t, wire.NameMismatch, got.Code)
	require.Equal(t, "/leaseId", got.Pointer)
	for _, name := range []string{"3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53.json", "lease.json", "9a1c7d52-0e3b-4f68-a2d4-51b7c08e6f19"} {
		_, err = leasefile.DecodeFileNamed(name, document)
		require.NoError(t, err, name)
	}
}

// TestHugeInput is about time: nothing that is not valid may cost more than reading
// it once.
func TestHugeInput(t *testing.T) {
	const ten = 10 << 20
	document := string(seed(t, active))
	owner := strings.Index(document, `"owner":`) + len(`"owner":`)
	with := func(text string) []byte { return []byte(document[:owner] + text + document[owner:]) }
	for name, b := range map[string][]byte{
		"brackets":      []byte(strings.Repeat("[", 1_000_000)),
		"braces":        []byte(strings.Repeat(`{"owner":`, 1_000_000)),
		"nested owner":  with(strings.Repeat(`{"a":`, 1_000_000)),
		"string":        bytes.Replace([]byte(document), []byte("acme-web"), bytes.Repeat([]byte("a"), ten), 1),
		"escapes":       bytes.Replace([]byte(document), []byte("acme-web"), bytes.Repeat([]byte(`\u0061`), ten/6), 1),
		"name":          with(`{"` + strings.Repeat("b", ten)),
		"digits":        bytes.Replace([]byte(document), []byte(":48213"), []byte(":1"+strings.Repeat("0", ten)), 1),
		"fraction":      bytes.Replace([]byte(document), []byte(":48213"), []byte(":0."+strings.Repeat("0", ten)), 1),
		"exponent":      bytes.Replace([]byte(document), []byte(":48213"), []byte(":1e1000000"), 1),
		"long exponent": bytes.Replace([]byte(document), []byte(":48213"), []byte(":1e"+strings.Repeat("9", ten)), 1),
		"blanks":        bytes.Repeat([]byte(" "), ten),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := leasefile.Decode(b)
			require.Error(t, err)
			_, _, ok := leasefile.PeekPluginID(b)
			require.False(t, ok)
			require.Less(t, time.Since(start), 5*time.Second, "it takes milliseconds on an idle machine")
		})
	}
}
