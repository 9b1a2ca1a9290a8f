//go:build unix

package host_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/persist/file"
)

// One cleanup fails: the lease blocks its plugin, and says why, before the others have ended.
func ExampleScope() {
	dir, err := os.MkdirTemp("", "containlease-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	reg, err := lease.Open(ctx, filepath.Join(dir, "home"), lease.WithInspector(caller{}), lease.WithHome(file.AllowAnyFilesystem()))
	if err != nil {
		log.Fatal(err)
	}
	defer reg.Close()
	sha := strings.Repeat("ab", 32)
	h, err := reg.Acquire(ctx, leasefile.OperationIdentity{
		AdapterID: "acme", BundleSHA256: sha, ContractVersion: 1, DescriptorSHA256: sha, ManifestSHA256: sha,
		Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme", Transport: leasefile.TransportProviderAPI,
	}, "")
	if err != nil {
		log.Fatal(err)
	}
	scope := host.NewScope(h)
	// Whoever starts something registers how it ends.
	if err := scope.Defer(func(context.Context) error { fmt.Println("the socket is removed"); return nil }); err != nil {
		log.Fatal(err)
	}
	if err := scope.Defer(func(context.Context) error { return errors.New("the sidecar still runs") }); err != nil {
		log.Fatal(err)
	}
	err = scope.Close(ctx)
	fmt.Println(h.State())
	fmt.Println(err)
	fmt.Println(scope.Go(nil))
	// Output:
	// the socket is removed
	// cleanup-unsafe
	// the end of the invocation could not be proved: a cleanup failed: the sidecar still runs
	// the cleanup scope is closed
}
