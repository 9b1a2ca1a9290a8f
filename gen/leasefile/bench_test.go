package leasefile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
)

// plainLease is the same document for encoding/json.
type plainLease struct {
	AcquiredAt  string `json:"acquiredAt"`
	Containment struct {
		Host   *plainProcess `json:"host"`
		Status string        `json:"status"`
	} `json:"containment"`
	Identity struct {
		AdapterID        string `json:"adapterId"`
		BundleSHA256     string `json:"bundleSha256"`
		ContractVersion  int64  `json:"contractVersion"`
		DescriptorSHA256 string `json:"descriptorSha256"`
		HostAPIVersion   int64  `json:"hostApiVersion"`
		ManifestSHA256   string `json:"manifestSha256"`
		Operation        string `json:"operation"`
		PluginID         string `json:"pluginId"`
		PluginVersion    string `json:"pluginVersion"`
		SurfaceID        string `json:"surfaceId"`
		Transport        string `json:"transport"`
	} `json:"identity"`
	LeaseID string `json:"leaseId"`
	Owner   struct {
		plainProcess
		Token string `json:"token"`
	} `json:"owner"`
	RunID         string `json:"runId"`
	SchemaVersion int    `json:"schemaVersion"`
}

type plainProcess struct {
	BootID         string `json:"bootId"`
	PID            int64  `json:"pid"`
	ProcessStartID string `json:"processStartId"`
}

func BenchmarkEncodingJSON(b *testing.B) {
	doc := seed(b, "001-valid-v2-host-active")
	b.ReportAllocs()
	for b.Loop() {
		dec := json.NewDecoder(bytes.NewReader(doc))
		dec.DisallowUnknownFields()
		require.NoError(b, dec.Decode(new(plainLease)))
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"001-valid-v2-host-active", "002-valid-v1", "010-pretty-printed", "011-keys-reordered"} {
		doc := seed(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := leasefile.Decode(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSHA256(b *testing.B) {
	doc := seed(b, "001-valid-v2-host-active")
	for b.Loop() {
		sum = sha256.Sum256(doc)
	}
}

// sum keeps the compiler from leaving the work out.
var sum [32]byte

func BenchmarkDecodeFileAndSHA256(b *testing.B) {
	doc := seed(b, "001-valid-v2-host-active")
	b.ReportAllocs()
	for b.Loop() {
		sum = sha256.Sum256(doc)
		if _, err := leasefile.DecodeFile(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	l, err := leasefile.Decode(seed(b, "001-valid-v2-host-active"))
	require.NoError(b, err)
	dst := make([]byte, 0, 2048)
	b.ReportAllocs()
	for b.Loop() {
		dst = l.AppendCanonical(dst[:0])
	}
}
