package cli

import (
	"maps"
	"slices"

	"containlease/gen/leasefile"
)

// kind decodes one kind of record at both levels.
type kind struct {
	value func([]byte) (version int, err error)
	file  func(name string, b []byte) error
}

const kindLease = "lease"

// kinds are what validate --as knows. A UUID as the file's name has to be the lease's.
var kinds = map[string]kind{
	kindLease: {
		value: func(b []byte) (int, error) {
			l, err := leasefile.Decode(b)
			if err != nil {
				return 0, err
			}
			return l.Version(), nil
		},
		file: func(name string, b []byte) error {
			_, err := leasefile.DecodeFileNamed(name, b)
			return err
		},
	},
	"evidence": {
		value: func(b []byte) (int, error) {
			e, err := leasefile.DecodeEvidence(b)
			if err != nil {
				return 0, err
			}
			return e.SchemaVersion(), nil
		},
		file: func(_ string, b []byte) error { _, err := leasefile.DecodeEvidenceFile(b); return err },
	},
	"plugin":   versionOne(leasefile.DecodePluginV1, leasefile.DecodePluginV1File),
	"identity": versionOne(leasefile.DecodeIdentityV1, leasefile.DecodeIdentityV1File),
	"empty":    versionOne(leasefile.DecodeEmptyV1, leasefile.DecodeEmptyV1File),
	"home":     versionOne(leasefile.DecodeHomeV1, leasefile.DecodeHomeV1File),
	"machine":  versionOne(leasefile.DecodeMachineV1, leasefile.DecodeMachineV1File),
	"audit":    versionOne(leasefile.DecodeAuditV1, leasefile.DecodeAuditV1File),
}

// versionOne is the kind of a record that has one version so far.
func versionOne[T any](value, file func([]byte) (*T, error)) kind {
	return kind{
		value: func(b []byte) (int, error) { _, err := value(b); return 1, err },
		file:  func(_ string, b []byte) error { _, err := file(b); return err },
	}
}

func kindNames() []string { return slices.Sorted(maps.Keys(kinds)) }
