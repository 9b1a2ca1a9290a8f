package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"containlease/gen/leasefile"
	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// sample is a valid lease of that id.
func sample(id string) *leasefile.LeaseV2 {
	digest := strings.Repeat("a", 64)
	return &leasefile.LeaseV2{
		AcquiredAt:  "2026-01-02T03:04:05.678Z",
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusParentOwned},
		Identity: leasefile.OperationIdentity{
			AdapterID: "a", BundleSHA256: digest, ContractVersion: 1, DescriptorSHA256: digest, ManifestSHA256: digest,
			Operation: "a.b", PluginID: "a", PluginVersion: "1.0.0", SurfaceID: "a", Transport: leasefile.TransportProviderAPI,
		},
		LeaseID: id, RunID: id,
		Owner: leasefile.Owner{PID: 1, BootID: digest, ProcessStartID: digest, Token: id},
	}
}

func TestValidateTakesTwentyThousandFiles(t *testing.T) {
	const files, bad = 20_000, 7
	dir := t.TempDir()
	args := []string{"validate", "--output", "json"}
	for n := range files {
		id := uuid.NewString()
		b := sample(id).AppendCanonical(nil)
		if n < bad {
			b = b[:len(b)-1]
		}
		path := filepath.Join(dir, fmt.Sprintf("%02d", n%100), id+".json")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, b, 0o600))
		args = append(args, path)
	}
	for name, args := range map[string][]string{"as a directory": append(args[:3:3], dir), "one by one": args} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, exitInvalid, Do(args, nil, &stdout, &stderr))
			require.Empty(t, stderr.String())
			var out validation
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &out))
			require.Equal(t, []int{files - bad, bad, files}, []int{out.Valid, out.Invalid, len(out.Files)})
		})
	}
}

func TestTheDigestIsTheLeases(t *testing.T) {
	b := sample(uuid.NewString()).AppendCanonical(nil)
	var stdout bytes.Buffer
	require.Equal(t, exitOK, Do([]string{"validate", "--output", "json", "-"}, bytes.NewReader(b), &stdout, &stdout))
	var out validation
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &out))
	require.Equal(t, persist.DigestOf(b).String(), *out.Files[0].Digest)
	require.Equal(t, 2, *out.Files[0].SchemaVersion)
}
