package leasefile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
	"containlease/gen/wire"
)

const (
	uuid   = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"
	digest = "4509beb0ab401d71fa4a5cd94a55c9a74f13332776ae4019c5bfc4c2005157ff"
)

// record is what all documents have in common.
type record interface {
	AppendCanonical(dst []byte) []byte
	Validate() error
}

// decoders are the two decoders of one type.
type decoders struct{ value, file func([]byte) (record, error) }

func of[V record](value, file func([]byte) (V, error)) decoders {
	return decoders{
		func(b []byte) (record, error) { return value(b) },
		func(b []byte) (record, error) { return file(b) },
	}
}

func pointerTo[V any](v V) *V { return &v }

func lease(t *testing.T) *leasefile.LeaseV2 {
	t.Helper()
	v, err := leasefile.Decode(seed(t, active))
	require.NoError(t, err)
	return v.(*leasefile.LeaseV2)
}

func evidence() *leasefile.EvidenceV2 {
	return &leasefile.EvidenceV2{
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Inode: 7, ParentInode: 6, Path: `/sys/fs/cgroup/"a\b" é 😀`},
		LeaseID:  uuid, Token: uuid, Tool: "containlease", Version: "1.0.0+(devel)", Exclusive: true,
		PIDNamespace: pointerTo[int64](4026531836), HostInode: pointerTo[int64](1<<53 - 1),
		BoundaryChain: pointerTo("1/6/7"), InitInode: pointerTo[int64](3), InitStartID: pointerTo(digest), PIDNamespaceID: pointerTo[int64](9),
	}
}

func TestRecordsReadBack(t *testing.T) {
	host := leasefile.Host{BootID: digest, PID: 12, ProcessStartID: digest}
	operation := lease(t).Identity
	for _, c := range []struct {
		value  record
		decode decoders
	}{
		{evidence(), of(leasefile.DecodeEvidenceV2, leasefile.DecodeEvidenceV2File)},
		{evidence(), of(leasefile.DecodeEvidence, leasefile.DecodeEvidenceFile)},
		{&leasefile.EvidenceV2{Boundary: leasefile.Boundary{Kind: "none"}, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"}, of(leasefile.DecodeEvidenceV2, leasefile.DecodeEvidenceV2File)},
		{&leasefile.EvidenceV1{Boundary: leasefile.Boundary{Kind: "none"}, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"}, of(leasefile.DecodeEvidenceV1, leasefile.DecodeEvidenceV1File)},
		{&operation, of(leasefile.DecodeIdentityV1, leasefile.DecodeIdentityV1File)},
		{&leasefile.PluginV1{Executable: "/opt/plug in/" + strings.Repeat("é", 4000), Identity: operation}, of(leasefile.DecodePluginV1, leasefile.DecodePluginV1File)},
		{&leasefile.HomeV1{MachineID: uuid, HostSHA256: digest}, of(leasefile.DecodeHomeV1, leasefile.DecodeHomeV1File)},
		{&leasefile.MachineV1{MachineID: uuid, BootID: digest, PIDNamespace: pointerTo[int64](4026531836)}, of(leasefile.DecodeMachineV1, leasefile.DecodeMachineV1File)},
		{&leasefile.MachineV1{MachineID: uuid, BootID: digest}, of(leasefile.DecodeMachineV1, leasefile.DecodeMachineV1File)},
		{&leasefile.EmptyV1{LeaseID: uuid, Token: uuid, Gate: host}, of(leasefile.DecodeEmptyV1, leasefile.DecodeEmptyV1File)},
		{&leasefile.AuditV1{Action: leasefile.AuditActionAcceptUnproved, At: "2026-11-30T02:24:41.123Z", Reason: `he said "so"`, Rule: "orphan"}, of(leasefile.DecodeAuditV1, leasefile.DecodeAuditV1File)},
		{&leasefile.AuditV1{Action: leasefile.AuditActionRetire, At: "2026-11-30T02:24:41.123Z", Reason: "x", Rule: "r", LeaseID: pointerTo(uuid), Digest: pointerTo(digest)}, of(leasefile.DecodeAuditV1, leasefile.DecodeAuditV1File)},
		{lease(t), of(leasefile.Decode, leasefile.DecodeFile)},
	} {
		canonical := c.value.AppendCanonical(nil)
		require.NoError(t, c.value.Validate(), "%s", canonical)
		again, err := c.decode.file(canonical)
		require.NoError(t, err, "%s", canonical)
		require.Equal(t, c.value, again)
		require.Equal(t, byte('\n'), canonical[len(canonical)-1])

		loose := append([]byte("\r\n\t "), bytes.ReplaceAll(canonical, []byte(`":`), []byte("\" :\n"))...)
		again, err = c.decode.value(loose)
		require.NoError(t, err, "%s", loose)
		require.Equal(t, c.value, again)
		_, err = c.decode.file(loose)
		require.ErrorIs(t, err, wire.NotCanonical)
		_, err = c.decode.file(canonical[:len(canonical)/2])
		require.ErrorIs(t, err, wire.Syntax)
		_, err = c.decode.file(make([]byte, wire.MaxFile+1))
		require.ErrorIs(t, err, wire.TooLarge)

		// Nothing of the input is kept.
		again, err = c.decode.file(canonical)
		require.NoError(t, err)
		clear(canonical)
		require.Equal(t, c.value, again)
	}
}

// TestEscapes: the canonical rendering has the escapes that JSON requires, in the one
// spelling that JSON.stringify gives, and a file with any other is refused.
func TestEscapes(t *testing.T) {
	canonical := evidence().AppendCanonical(nil)
	require.Contains(t, string(canonical), `"path":"/sys/fs/cgroup/\"a\\b\" é 😀"`)
	for old, new := range map[string]string{"é": `\u00e9`, "😀": `\ud83d\ude00`, `\"`: `\u0022`, "/sys": `\/sys`} {
		b := bytes.Replace(canonical, []byte(old), []byte(new), 1)
		value, err := leasefile.DecodeEvidence(b)
		require.NoError(t, err)
		require.Equal(t, evidence(), value)
		_, err = leasefile.DecodeEvidenceFile(b)
		require.ErrorIs(t, err, wire.NotCanonical)
		require.Equal(t, "/boundary/path", asDecodeError(t, err).Pointer)
	}
}

// TestInvalidValues: a struct can hold what no document may. Its bytes must be refused
// and never read as another value.
func TestInvalidValues(t *testing.T) {
	for pointer, spoil := range map[string]func(*leasefile.LeaseV2){
		"/leaseId":            func(v *leasefile.LeaseV2) { v.LeaseID = uuid + `","runId":"` + uuid },
		"/runId":              func(v *leasefile.LeaseV2) { v.RunID = "" },
		"/owner/token":        func(v *leasefile.LeaseV2) { v.Owner.Token = "\xff" },
		"/owner/pid":          func(v *leasefile.LeaseV2) { v.Owner.PID = -1 },
		"/identity/transport": func(v *leasefile.LeaseV2) { v.Identity.Transport = "pigeon" },
		"/containment/status": func(v *leasefile.LeaseV2) { v.Containment.Status = "asleep" },
		"/containment": func(v *leasefile.LeaseV2) {
			v.Containment = leasefile.Containment{Host: &leasefile.Host{BootID: digest, PID: 1, ProcessStartID: digest}}
		},
		"/containment/host":    func(v *leasefile.LeaseV2) { v.Containment.Host = &leasefile.Host{} },
		"/identity/operation":  func(v *leasefile.LeaseV2) { v.Identity.Operation = "a" },
		"/owner/bootId":        func(v *leasefile.LeaseV2) { v.Owner.BootID = digest[1:] + "\n" },
		"/acquiredAt":          func(v *leasefile.LeaseV2) { v.AcquiredAt = "2026-02-29T00:00:00.000Z" },
		"/identity/surfaceId":  func(v *leasefile.LeaseV2) { v.Identity.SurfaceID = `a\` },
		"/identity/pluginId":   func(v *leasefile.LeaseV2) { v.Identity.PluginID = "é" },
		"/identity/contractVe": func(v *leasefile.LeaseV2) { v.Identity.ContractVersion = 0 },
	} {
		v := lease(t)
		spoil(v)
		err := asDecodeError(t, v.Validate())
		require.True(t, strings.HasPrefix(err.Pointer, pointer), "%s: %v", pointer, err)
		_, decoded := leasefile.Decode(v.AppendCanonical(nil))
		require.Equal(t, err, decoded)
	}
	for _, status := range leasefile.ContainmentStatuses {
		c := leasefile.Containment{Status: status}
		withHost := c
		withHost.Host = &leasefile.Host{BootID: digest, PID: 1, ProcessStartID: digest}
		parent := status == leasefile.ContainmentStatusParentOwned
		hosted := status == leasefile.ContainmentStatusHostStarting || status == leasefile.ContainmentStatusHostActive
		require.Equal(t, hosted, c.Validate() != nil, status)
		require.Equal(t, parent, withHost.Validate() != nil, status)
	}
	require.NoError(t, (&leasefile.Host{BootID: digest, PID: 1, ProcessStartID: digest}).Validate())
	require.ErrorIs(t, (&leasefile.Host{BootID: digest, PID: 1 << 53, ProcessStartID: digest}).Validate(), wire.Range)
	owner := lease(t).Owner
	require.NoError(t, owner.Validate())
	owner.Token = digest
	require.ErrorIs(t, owner.Validate(), wire.Pattern)
	require.ErrorIs(t, (&leasefile.Boundary{}).Validate(), wire.Enum)
	require.Error(t, (&leasefile.Boundary{Kind: "none", Path: "/x"}).Validate())
	require.Error(t, (&leasefile.Boundary{Kind: "cgroup-v2", Path: "/x", Inode: 1}).Validate())
	require.Error(t, (&leasefile.PluginV1{Executable: "/a\x7f", Identity: lease(t).Identity}).Validate())
	require.Error(t, (&leasefile.PluginV1{Executable: "/a\xff", Identity: lease(t).Identity}).Validate())
}

func TestNewerVersions(t *testing.T) {
	for text, want := range map[string]bool{
		`{"schemaVersion":3,"identity":{"pluginId":"acme"}}`:                                                                      true,
		` {"new":[{"a":[1e999,-0.5,null,true,"\ud83d\ude00"]}],"identity":{"x":{},"pluginId":"\u0061cme"},"schemaVersion":30e-1}`: true,
		`{"schemaVersion":2,"identity":{"pluginId":"acme"}}`:                                                                      false,
		`{"schemaVersion":3.5,"identity":{"pluginId":"acme"}}`:                                                                    false,
		`{"schemaVersion":"3","identity":{"pluginId":"acme"}}`:                                                                    false,
		`{"schemaVersion":3,"identity":{"pluginId":"Acme"}}`:                                                                      false,
		`{"schemaVersion":3,"identity":{"pluginId":7}}`:                                                                           false,
		`{"schemaVersion":3,"identity":["pluginId","acme"]}`:                                                                      false,
		`{"schemaVersion":3,"x":{"identity":{"pluginId":"acme"}}}`:                                                                false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"},"schemaVersion":4}`:                                                    false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme","plugin\u0049d":"b"}}`:                                                  false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"}} x`:                                                                    false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"},"x":01}`:                                                               false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"},"x":"` + "\xff" + `"}`:                                                 false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"},"x":[1,]}`:                                                             false,
		`[{"schemaVersion":3,"identity":{"pluginId":"acme"}}]`:                                                                    false,
		`{"schemaVersion":3,"identity":{"pluginId":"acme"},"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`:        false,
	} {
		id, version, ok := leasefile.PeekPluginID([]byte(text))
		require.Equal(t, want, ok, text)
		if want {
			require.Equal(t, "acme 3", fmt.Sprint(id, " ", version))
			_, err := leasefile.DecodeFile([]byte(text))
			require.ErrorIs(t, err, wire.NewerVersion, text)
			require.Contains(t, err.Error(), "version 3")
		}
	}
	_, err := leasefile.DecodeEvidence([]byte(`{"schemaVersion":3}`))
	require.ErrorIs(t, err, wire.NewerVersion)
}

// TestOneVersionAlone: the decoders of one version refuse the others, and say so.
func TestOneVersionAlone(t *testing.T) {
	two := evidence().AppendCanonical(nil)
	one := (&leasefile.EvidenceV1{Boundary: leasefile.Boundary{Kind: "none"}, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"}).AppendCanonical(nil)
	_, err := leasefile.DecodeEvidenceV1File(two)
	require.ErrorIs(t, err, wire.NewerVersion)
	_, err = leasefile.DecodeEvidenceV2File(one)
	require.ErrorIs(t, err, wire.Range)
	require.Equal(t, "/schemaVersion", asDecodeError(t, err).Pointer)
	require.Contains(t, err.Error(), "found version 1")
	either, err := leasefile.DecodeEvidenceFile(one)
	require.NoError(t, err)
	require.Equal(t, 1, either.SchemaVersion())
	for pointer, mixed := range map[string][]byte{
		"/schemaVersion":  bytes.Replace(two, []byte(`"schemaVersion":2`), []byte(`"schemaVersion":1`), 1),
		"":                bytes.Replace(one, []byte(`"schemaVersion":1`), []byte(`"schemaVersion":2`), 1),
		"/boundaryChain":  bytes.Replace(two, []byte(`"1/6/7"`), []byte(`"1/06/7"`), 1),
		"/initStartId":    bytes.Replace(two, []byte(`"initStartId":"`), []byte(`"initStartId":"z`), 1),
		"/pidNamespaceId": bytes.Replace(two, []byte(`"pidNamespaceId":9`), []byte(`"pidNamespaceId":0`), 1),
	} {
		_, err := leasefile.DecodeEvidence(mixed)
		require.Equal(t, pointer, asDecodeError(t, err).Pointer, "%s", mixed)
	}
}

func TestAccessors(t *testing.T) {
	v2 := lease(t)
	v1, err := leasefile.DecodeFile(seed(t, "002-valid-v1"))
	require.NoError(t, err)
	for version, v := range map[int]leasefile.Lease{1: v1, 2: v2} {
		require.Equal(t, version, v.Version())
		require.Equal(t, v2.LeaseID, v.ID())
		require.Equal(t, v2.RunID, v.Run())
		require.Equal(t, v2.Identity, v.Operation())
		require.Equal(t, v2.Owner, v.OwnedBy())
		require.Equal(t, v2.AcquiredAt, v.Acquired())
	}
}

func TestDecodeAllocatesOnce(t *testing.T) {
	document := seed(t, active)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, err := leasefile.DecodeFile(document); err != nil {
			t.Error(err)
		}
	}), 1.0)
}
