package etcd

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// memberEnv makes this test binary a member of a cluster, as it says in JSON.
const memberEnv = "CONTAINLEASE_ETCD_MEMBER"

type memberSpec struct{ Name, Dir, Client, Peer, Cluster string }

// member serves until its standard input ends, which it does with the test.
func member() {
	var spec memberSpec
	if err := json.Unmarshal([]byte(os.Getenv(memberEnv)), &spec); err != nil {
		panic(err)
	}
	cfg := quiet(spec.Dir)
	at := func(s string) []url.URL { return []url.URL{{Scheme: "http", Host: s}} }
	cfg.Name, cfg.InitialCluster = spec.Name, spec.Cluster
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = at(spec.Client), at(spec.Client)
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = at(spec.Peer), at(spec.Peer)
	if _, err := embed.StartEtcd(cfg); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// running is one member, as a process.
type running struct {
	spec memberSpec
	cmd  *exec.Cmd
}

// cluster is members on the loopback, each a process of its own.
type cluster struct {
	t       testing.TB
	members []*running
}

func newCluster(t testing.TB, names ...string) *cluster {
	c := &cluster{t: t}
	dir, all := t.TempDir(), ""
	for _, name := range names {
		client, err := freeAddress()
		require.NoError(t, err)
		peer, err := freeAddress()
		require.NoError(t, err)
		p := &running{spec: memberSpec{Name: name, Dir: filepath.Join(dir, name), Client: client, Peer: peer}}
		c.members = append(c.members, p)
		all += "," + name + "=http://" + p.spec.Peer
	}
	for _, p := range c.members {
		p.spec.Cluster = all[1:]
		c.start(p)
	}
	t.Cleanup(func() {
		for _, p := range c.members {
			c.kill(p)
		}
	})
	return c
}

// freeAddress is a port that nobody listens at, below those that a system gives to outgoing connections by itself: of those,
// one that is free now may be somebody's before the server listens there, which then never answers.
func freeAddress() (string, error) {
	const lowest, most, tries = 10_000, 20_000, 100
	var err error
	for range tries {
		host := fmt.Sprintf("127.0.0.1:%d", lowest+rand.N(most))
		var l net.Listener
		if l, err = net.Listen("tcp", host); err == nil {
			return host, l.Close()
		}
	}
	return "", err
}

func (c *cluster) start(p *running) {
	spec, err := json.Marshal(p.spec)
	require.NoError(c.t, err)
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), memberEnv+"="+string(spec))
	_, err = p.cmd.StdinPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, p.cmd.Start())
}

// kill ends a member without a word, also a stopped one.
func (c *cluster) kill(p *running) {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (c *cluster) endpoints() (urls []string) {
	for _, p := range c.members {
		urls = append(urls, "http://"+p.spec.Client)
	}
	return urls
}
