package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
)

// One invocation of a command, from acquire to release. The first statement of the program's main is host.GateMain().
func ExampleRun() {
	dir, err := os.MkdirTemp("", "containlease-example-")
	check(err)
	defer os.RemoveAll(dir)
	ctx, identity := context.Background(), acme()

	reg, err := lease.Open(ctx, dir)
	check(err)
	h, err := reg.Acquire(ctx, identity, "") // durable: parent-owned; refused if the plugin may not start
	check(err)
	result, err := host.Run(ctx, h, exec.Command("sh", "-c", "exit 7")) // hostStarting, hostStarted, the gate opens, the end is proved
	check(err)
	check(h.Release(ctx))
	fmt.Println(result.Code, h.State())
	// Output: 7 released
}

// acme is the identity of one operation of plugin acme: a lease blocks all operations of its plugin.
func acme() leasefile.OperationIdentity {
	sha := strings.Repeat("ab", 32) // of what was installed
	return leasefile.OperationIdentity{
		AdapterID: "acme", BundleSHA256: sha, ContractVersion: 1, DescriptorSHA256: sha, ManifestSHA256: sha,
		Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme-web",
		Transport: leasefile.TransportProviderAPI,
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
