package etcd

import (
	"fmt"
	"regexp"
	"strings"

	"containlease/gen/leasefile"
	"containlease/persist"
)

// root is where the machines are. The version is of this layout, not of a record.
const root = "/containlease/v1/machines/"

const leasesDir = "/leases/"

// maxRecord is the longest content of a record, as in every store.
const maxRecord = 32 << 10

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func checkID(what, id string) error {
	if !uuid4.MatchString(id) {
		return fmt.Errorf("%s %q: %w", what, id, ErrKey)
	}
	return nil
}

func machineKey(id string) string   { return root + id }
func leasesPrefix(id string) string { return root + id + leasesDir }

// place is what a key under root is about. A machine's own record has no lease; a key that is neither a machine's nor a
// lease's has no machine.
type place struct{ machine, lease string }

func placeOf(key string) place {
	machine, lease, nested := strings.Cut(strings.TrimPrefix(key, root), leasesDir)
	if !uuid4.MatchString(machine) || nested && !uuid4.MatchString(lease) {
		return place{}
	}
	return place{machine, lease}
}

// entryOf is a stored pair as a record. name is what the pair's key should be: a lease's id.
func entryOf(name string, value []byte) persist.Entry {
	e := persist.Entry{Key: name}
	switch {
	case !uuid4.MatchString(name):
		e.Key = fmt.Sprintf("%+q", name)
		e.Err = &persist.RecordError{Key: e.Key, Kind: persist.ForeignName, Detail: "only leases by their id belong under " + leasesDir}
	case len(value) > maxRecord:
		e.Err = &persist.RecordError{Key: name, Kind: persist.TooLarge, Detail: fmt.Sprintf("%d bytes", len(value))}
	default:
		e.Content, e.Digest = value, persist.DigestOf(value)
		if value == nil { // empty, and read
			e.Content = []byte{}
		}
	}
	return e
}

// machineOf reads a machine's record; nil where it is none, or another machine's.
func machineOf(id string, value []byte) *leasefile.MachineV1 {
	m, err := leasefile.DecodeMachineV1File(value)
	if err != nil || m.MachineID != id {
		return nil
	}
	return m
}
