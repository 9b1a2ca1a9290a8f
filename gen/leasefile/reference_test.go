package leasefile_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"containlease/gen/wire"
)

// This file says once more what a lease is, with encoding/json, regexp and math/big and
// without the generator: slow, and simple enough to be read beside the specification.

// reference returns the canonical bytes of the lease in b, or nil if it is none.
func reference(b []byte) []byte {
	if !utf8.Valid(b) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	value, ok := readStrictly(dec)
	if _, err := dec.Token(); !ok || err != io.EOF || !leaseRule(value) {
		return nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // members sorted, one line feed at the end
	enc.SetEscapeHTML(false)
	if enc.Encode(exact(value)) != nil {
		return nil
	}
	return out.Bytes()
}

// referenceFile is reference at the file level.
func referenceFile(b []byte) bool {
	canonical := reference(b)
	return canonical != nil && len(b) <= wire.MaxFile && bytes.Equal(canonical, b)
}

// readStrictly reads one value without arrays; an object with a name twice is none.
func readStrictly(dec *json.Decoder) (any, bool) {
	token, err := dec.Token()
	if err != nil || token == json.Delim('[') {
		return nil, false
	}
	if token != json.Delim('{') {
		return token, true
	}
	object := map[string]any{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		value, ok := readStrictly(dec)
		if _, twice := object[name.(string)]; twice || !ok {
			return nil, false
		}
		object[name.(string)] = value
	}
	_, err = dec.Token()
	return object, err == nil
}

// exact replaces every number by the integer that it is.
func exact(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			value[name] = exact(member)
		}
	case json.Number:
		n, _ := integer(value)
		return n
	}
	return value
}

var exponent = regexp.MustCompile(`[eE]([+-]?)0*([0-9]*)$`)

// integer is the exact value of a number. An exponent that all of its digits could not
// undo is not followed: the value is no integer, or far too large.
func integer(n json.Number) (int64, bool) {
	if parts := exponent.FindStringSubmatch(n.String()); parts != nil {
		if e, err := strconv.Atoi("0" + parts[2]); err != nil || e > len(n)+20 {
			return 0, false
		}
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// rule tells whether a value may stand somewhere.
type rule func(any) bool

func text(pattern string, most int) rule {
	re := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return func(v any) bool {
		s, ok := v.(string)
		return ok && len(s) <= most && !strings.HasSuffix(s, "\n") && re.MatchString(s)
	}
}

func between(low, high int64) rule {
	return func(v any) bool {
		number, ok := v.(json.Number)
		n, whole := integer(number)
		return ok && whole && low <= n && n <= high
	}
}

func oneOf(words ...string) rule {
	return func(v any) bool { s, ok := v.(string); return ok && slices.Contains(words, s) }
}

func object(members map[string]rule) rule {
	return func(v any) bool {
		o, ok := v.(map[string]any)
		for name, rule := range members {
			member, has := o[name]
			ok = ok && has && rule(member)
		}
		return ok && len(o) == len(members)
	}
}

func either(rules ...rule) rule {
	return func(v any) bool { return slices.ContainsFunc(rules, func(r rule) bool { return r(v) }) }
}

func isNull(v any) bool { return v == nil }

func timestamp(v any) bool {
	s, ok := v.(string)
	if !ok || !regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`).MatchString(s) {
		return false
	}
	_, err := time.Parse("2006-01-02T15:04:05.000Z", s)
	return err == nil
}

var (
	uuidRule   = text(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, 36)
	digestRule = text(`[0-9a-f]{64}`, 64)
	kebabRule  = text(`[a-z][a-z0-9]*(-[a-z0-9]+)*`, 128)
	pidRule    = between(1, 1<<53-1)
	hostRule   = object(map[string]rule{"bootId": digestRule, "pid": pidRule, "processStartId": digestRule})
	ownerRule  = object(map[string]rule{"bootId": digestRule, "pid": pidRule, "processStartId": digestRule, "token": uuidRule})

	identityRule = object(map[string]rule{
		"adapterId": text(`[a-z][a-z0-9-]{0,47}`, 48), "bundleSha256": digestRule, "contractVersion": between(1, 1000000), "descriptorSha256": digestRule,
		"hostApiVersion": between(1, 1), "manifestSha256": digestRule, "operation": text(`[a-z][a-z0-9-]{0,39}(\.[a-z][a-z0-9-]{0,39}){1,3}`, 163),
		"pluginId": kebabRule, "surfaceId": kebabRule, "transport": oneOf("provider-api", "web-session-api", "linked-device"),
		"pluginVersion": text(`(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?`, 128),
	})
	containmentRule = either(
		object(map[string]rule{"status": oneOf("parent-owned")}),
		object(map[string]rule{"status": oneOf("host-starting", "host-active"), "host": hostRule}),
		object(map[string]rule{"status": oneOf("cleanup-complete", "cleanup-unsafe"), "host": either(hostRule, isNull)}),
	)
	leaseRule = either(
		object(map[string]rule{"acquiredAt": timestamp, "identity": identityRule, "leaseId": uuidRule, "owner": ownerRule, "runId": uuidRule, "schemaVersion": between(1, 1)}),
		object(map[string]rule{"acquiredAt": timestamp, "containment": containmentRule, "identity": identityRule, "leaseId": uuidRule, "owner": ownerRule, "runId": uuidRule, "schemaVersion": between(2, 2)}),
	)
)
