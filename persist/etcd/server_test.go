package etcd

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// etcdProgram serves the tests in the embedded server's place: TestInstalledServer.
var etcdProgram = flag.String("etcd", "", "the path of an etcd to test against, instead of the embedded one")

var (
	// shared is the server of all tests that do not change it for the others: each has machines of its own.
	shared string
	// scratch is a directory for what several tests share.
	scratch string
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	if os.Getenv(memberEnv) != "" {
		member()
		return
	}
	flag.Parse()
	os.Exit(withServer(m))
}

func withServer(m *testing.M) int {
	dir, err := os.MkdirTemp("", "containlease-etcd-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	stop, endpoint, err := start(filepath.Join(dir, "server"), func(*embed.Config) {})
	if err != nil {
		panic(err)
	}
	defer stop()
	shared, scratch = endpoint, dir
	return m.Run()
}

// server runs a server for one test.
func server(t *testing.T, change func(*embed.Config)) (endpoint string) {
	t.Helper()
	stop, endpoint, err := start(t.TempDir(), change)
	require.NoError(t, err)
	t.Cleanup(stop)
	return endpoint
}

// start runs a server of one member on free ports of the loopback.
func start(dir string, change func(*embed.Config)) (stop func(), endpoint string, err error) {
	cfg := quiet(dir)
	for _, urls := range []*[]url.URL{&cfg.ListenPeerUrls, &cfg.ListenClientUrls} {
		host, err := freeAddress()
		if err != nil {
			return nil, "", err
		}
		*urls = []url.URL{{Scheme: "http", Host: host}}
	}
	change(cfg)
	cfg.AdvertisePeerUrls, cfg.AdvertiseClientUrls = cfg.ListenPeerUrls, cfg.ListenClientUrls
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	endpoint = cfg.ListenClientUrls[0].String()
	if *etcdProgram != "" {
		stop, err = startProgram(cfg, endpoint)
		return stop, endpoint, err
	}
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, "", err
	}
	<-e.Server.ReadyNotify()
	return e.Close, endpoint, nil
}

func quiet(dir string) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Dir, cfg.BcryptCost = dir, 4
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	return cfg
}

// secure makes clients of a server use TLS.
func secure(cfg *embed.Config) { cfg.ListenClientUrls[0].Scheme = "https" }

// startProgram runs etcdProgram as cfg says, until stop is called or the test ends in any other way.
func startProgram(cfg *embed.Config, endpoint string) (stop func(), err error) {
	tls := cfg.ClientTLSInfo
	args := []string{"-c", `"$@" & cat >/dev/null; kill -9 $!; wait`, "sh", *etcdProgram, "--name", cfg.Name, "--data-dir", cfg.Dir,
		"--listen-client-urls", endpoint, "--advertise-client-urls", endpoint, "--initial-cluster", cfg.InitialCluster,
		"--listen-peer-urls", cfg.ListenPeerUrls[0].String(), "--initial-advertise-peer-urls", cfg.ListenPeerUrls[0].String(),
		"--quota-backend-bytes", fmt.Sprint(cfg.QuotaBackendBytes), "--bcrypt-cost", fmt.Sprint(cfg.BcryptCost),
		"--logger", "zap", "--log-level", "error"}
	if cfg.AutoCompactionMode != "" {
		args = append(args, "--auto-compaction-mode", cfg.AutoCompactionMode, "--auto-compaction-retention", cfg.AutoCompactionRetention)
	}
	if tls.CertFile != "" {
		args = append(args, "--cert-file", tls.CertFile, "--key-file", tls.KeyFile, "--trusted-ca-file", tls.TrustedCAFile,
			fmt.Sprintf("--client-cert-auth=%v", tls.ClientCertAuth))
	}
	cmd := exec.Command("sh", args...)
	life, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() { _ = life.Close(); _ = cmd.Wait() }
	if err := answers(endpoint, TLSFiles(tls.CertFile, tls.CertFile, tls.KeyFile)); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// answers waits until a server does.
func answers(endpoint string, opts ...Option) error {
	c, err := dial(context.Background(), append(opts, Endpoints(endpoint), Timeouts(time.Second, 30*time.Second)))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.ask(context.Background(), func(ctx context.Context) error {
		_, err := c.client.Get(ctx, root, clientv3.WithCountOnly())
		return err
	})
}
