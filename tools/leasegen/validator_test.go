package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
	"containlease/schema"
)

// validators compiles every schema for an independent validator.
func validators(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	compiled := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		text, ok := schema.Read(name)
		require.True(t, ok)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		require.NoError(t, compiler.AddResource("urn:containlease:schema:"+name, doc))
		compiled[name], err = compiler.Compile("urn:containlease:schema:" + name)
		require.NoError(t, err, name)
	}
	return compiled
}

// TestSchemasSayTheSameToAValidator compares the generated decoder with a validator that
// knows nothing of it: on values, the schema's word and Decode's must be one.
func TestSchemasSayTheSameToAValidator(t *testing.T) {
	compiled := validators(t)
	f, err := os.Open("../../schema/vectors/decode.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	compared := 0
	for lines.Scan() {
		var row struct {
			Name  string
			Bytes []byte
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(row.Bytes))
		if err != nil || bytes.Contains(row.Bytes, []byte("\xff")) || strings.Contains(row.Name, "dup") || strings.Contains(row.Name, "invalid-utf8") {
			continue // what a schema cannot see
		}
		valid := compiled["lease-v1"].Validate(value) == nil || compiled["lease-v2"].Validate(value) == nil
		_, err = leasefile.Decode(row.Bytes)
		require.Equal(t, valid, err == nil, "%s: %v", row.Name, err)
		compared++
	}
	require.NoError(t, lines.Err())
	require.Greater(t, compared, 80)
}

// TestEncodersObeyTheSchemas takes the canonical bytes of the other records to the
// validator.
func TestEncodersObeyTheSchemas(t *testing.T) {
	compiled := validators(t)
	const uuid, digest = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53", "4509beb0ab401d71fa4a5cd94a55c9a74f13332776ae4019c5bfc4c2005157ff"
	host := leasefile.Host{BootID: digest, PID: 1<<53 - 1, ProcessStartID: digest}
	operation := leasefile.OperationIdentity{
		AdapterID: "a", BundleSHA256: digest, ContractVersion: 1, DescriptorSHA256: digest, ManifestSHA256: digest,
		Operation: "a.b", PluginID: "p", PluginVersion: "0.0.0", SurfaceID: "s", Transport: leasefile.TransportLinkedDevice,
	}
	inode := int64(4026531836)
	chain, start := "1"+strings.Repeat("/2", 511), digest
	long := "/" + strings.Repeat("😀", 4095)
	for name, values := range map[string][]interface{ AppendCanonical([]byte) []byte }{
		"identity-v1": {&operation},
		"evidence-v1": {
			&leasefile.EvidenceV1{Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"},
			&leasefile.EvidenceV1{Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: long, Inode: 1, ParentInode: 2}, CgroupNamespace: &inode, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"},
		},
		"evidence-v2": {
			&leasefile.EvidenceV2{Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"},
			&leasefile.EvidenceV2{Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: long, Inode: 1, ParentInode: 2}, BoundaryChain: &chain,
				InitInode: &inode, InitStartID: &start, PIDNamespaceID: &inode, LeaseID: uuid, Token: uuid, Tool: "t", Version: "v"},
		},
		"plugin-v1": {&leasefile.PluginV1{Executable: "/bin/\"x\\", Identity: operation}},
		"home-v1":   {&leasefile.HomeV1{MachineID: uuid, HostSHA256: digest}},
		"empty-v1":  {&leasefile.EmptyV1{LeaseID: uuid, Token: uuid, Gate: host}},
		"audit-v1":  {&leasefile.AuditV1{Action: leasefile.AuditActionStop, At: "2024-02-29T23:59:59.999Z", Reason: "é", Rule: "gone"}},
	} {
		for _, value := range values {
			canonical := value.AppendCanonical(nil)
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
			require.NoError(t, err)
			require.NoError(t, compiled[name].Validate(doc), "%s", canonical)
		}
	}
}
