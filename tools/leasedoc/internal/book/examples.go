package book

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"containlease/gen/leasefile"
)

func mapsKeys(m map[string]node) iter.Seq[string] { return maps.Keys(m) }

// The parts of the examples. Digests and names are of the right shape, and of nothing.
const (
	exampleID    = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"
	exampleToken = "9a1c7d04-62fe-4b3a-9e58-0d7c41f2b6aa"
	exampleRun   = "c5e0b7f2-18d9-4f6c-a3b4-7e92d1508c3d"
)

var (
	exampleHost     = leasefile.Host{PID: 4242, BootID: digest("b0"), ProcessStartID: digest("51")}
	exampleIdentity = leasefile.OperationIdentity{AdapterID: "mail", BundleSHA256: digest("11"), ContractVersion: 3,
		DescriptorSHA256: digest("22"), ManifestSHA256: digest("33"), Operation: "messages.list", PluginID: "mail-reader",
		PluginVersion: "1.4.0", SurfaceID: "mail", Transport: leasefile.TransportProviderAPI}
	exampleLease = leasefile.LeaseV2{AcquiredAt: "2026-11-30T09:41:00.000Z", Identity: exampleIdentity, LeaseID: exampleID, RunID: exampleRun,
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusHostActive, Host: &exampleHost},
		Owner:       leasefile.Owner{PID: 4240, BootID: digest("b0"), ProcessStartID: digest("50"), Token: exampleToken}}
)

func digest(pair string) string { return strings.Repeat(pair, 32) }

// examples are made by the canonical encoders, and laid out for reading.
var examples = map[string]func() string{
	"lease-v2": func() string { return laidOut(exampleLease.AppendCanonical(nil)) },
	"evidence-v2": func() string {
		one := int64(4026531836)
		return laidOut((&leasefile.EvidenceV2{LeaseID: exampleID, Token: exampleToken, Tool: "containlease", Version: "1.0.0",
			PIDNamespace: &one, Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}}).AppendCanonical(nil))
	},
	"empty-v1": func() string {
		return laidOut((&leasefile.EmptyV1{LeaseID: exampleID, Token: exampleToken, Gate: exampleHost}).AppendCanonical(nil))
	},
	"home-v1": func() string {
		return laidOut((&leasefile.HomeV1{MachineID: exampleRun, HostSHA256: digest("7a")}).AppendCanonical(nil))
	},
	"plugin-v1": func() string {
		return laidOut((&leasefile.PluginV1{Identity: exampleIdentity, Executable: "/opt/plugins/mail-reader"}).AppendCanonical(nil))
	},
}

func laidOut(canonical []byte) string {
	var b bytes.Buffer
	_ = json.Indent(&b, bytes.TrimSpace(canonical), "", "  ") // it was just encoded
	return b.String() + "\n"
}
