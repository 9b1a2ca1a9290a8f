package etcd

import (
	"context"
	"crypto/x509"
	"path/filepath"
	"testing"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// grant makes a user who may do what kind says with everything that begins with prefix.
func grant(t *testing.T, c *clientv3.Client, user, prefix string, kind clientv3.PermissionType) {
	t.Helper()
	_, err := c.RoleAdd(t.Context(), user)
	require.NoError(t, err)
	if prefix != "" {
		_, err = c.RoleGrantPermission(t.Context(), user, prefix, clientv3.GetPrefixRangeEnd(prefix), kind)
		require.NoError(t, err)
	}
	_, err = c.UserAdd(t.Context(), user, "secret of "+user)
	require.NoError(t, err)
	_, err = c.UserGrantRole(t.Context(), user, user)
	require.NoError(t, err)
}

// With authentication on, as the README sets it up: a machine's user has that machine's prefix, the fleet's may read.
func TestUsersAreApart(t *testing.T) {
	endpoint := server(t, func(*embed.Config) {})
	as := func(user string) Option {
		return func(o *options) { o.endpoints, o.user, o.password = []string{endpoint}, user, "secret of "+user }
	}
	a, b := newMachine(), newMachine()
	c := raw(t, endpoint)
	grant(t, c, "root", "", 0)
	grant(t, c, "a", machineKey(a.MachineID), clientv3.PermissionType(clientv3.PermReadWrite))
	grant(t, c, "b", machineKey(b.MachineID), clientv3.PermissionType(clientv3.PermReadWrite))
	grant(t, c, "fleet", root, clientv3.PermissionType(clientv3.PermRead))
	_, err := c.AuthEnable(t.Context())
	require.NoError(t, err)

	sa, sb := open(t, a, as("a")), open(t, b, as("b"))
	key := uuid.NewString()
	for _, s := range []*Store{sa, sb} {
		put(t, s, persist.Create, key, nil, body(1, 700))
		put(t, s, persist.Replace, key, body(1, 700), body(2, 700))
	}

	// A's user cannot register as B, whatever it calls itself.
	_, err = Open(t.Context(), booted(b, "2"), as("a"))
	require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)
	// Nor touch B's leases with a store that was talked into it: every answer is definite.
	forged := &Store{conn: sa.conn, machine: sb.machine, prefix: sb.prefix, known: map[string][]byte{key: body(2, 700)}, doubts: map[string]int64{}}
	for _, at := range []persist.Attempt{
		attempt(persist.Create, uuid.NewString(), nil, body(3, 700)),
		attempt(persist.Replace, key, body(2, 700), body(3, 700)),
		attempt(persist.Remove, key, body(2, 700), nil),
	} {
		err := at.Do(t.Context(), forged, nil)
		require.ErrorIs(t, err, ErrDenied)
		require.NotErrorIs(t, err, persist.ErrUnsettled)
	}
	_, err = forged.Read(t.Context(), key)
	require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)
	require.Equal(t, body(2, 700), content(t, sb, key))
	_, err = Retire(t.Context(), b.MachineID, persist.DigestOf(b.AppendCanonical(nil)), as("a"))
	require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)

	fleetUser(t, as)
	_, err = Open(t.Context(), a, as("a"), Login("a", "wrong"))
	require.ErrorIs(t, err, ErrDenied)
	put(t, sb, persist.Remove, key, body(2, 700), nil)
}

// fleetUser: the fleet's user reads everything and writes nothing; a machine's user cannot read the fleet.
func fleetUser(t *testing.T, as func(string) Option) {
	t.Helper()
	f := openFleet(t, as("fleet"))
	n := 0
	for _, err := range f.List(t.Context()) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 4, n)
	_, err := f.client.Put(t.Context(), machineKey(uuid.NewString()), "x")
	require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)
	_, err = f.client.Delete(t.Context(), root, clientv3.WithPrefix())
	require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)

	narrow := openFleet(t, as("a"))
	for _, err := range narrow.List(t.Context()) {
		require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)
	}
	for _, after := range []int64{0, 1} {
		ended := 0
		for _, err := range narrow.Watch(context.WithoutCancel(t.Context()), after) {
			require.ErrorIs(t, err, rpctypes.ErrPermissionDenied)
			ended++
		}
		require.Equal(t, 1, ended)
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	info, err := transport.SelfCert(zap.NewNop(), dir, []string{"127.0.0.1:0"}, 1, x509.ExtKeyUsageClientAuth)
	require.NoError(t, err)
	info.TrustedCAFile, info.ClientCertAuth = filepath.Join(dir, "cert.pem"), true
	endpoint := server(t, func(cfg *embed.Config) {
		secure(cfg)
		cfg.ClientTLSInfo = info
	})
	only := func(o *options) { o.endpoints = []string{endpoint} }
	s := open(t, newMachine(), only, TLSFiles(info.CertFile, info.CertFile, info.KeyFile))
	put(t, s, persist.Create, uuid.NewString(), nil, body(1, 700))

	for name, files := range map[string]Option{
		"no certificate of ours": TLSFiles(info.CertFile, "", ""),
		"no trust in theirs":     TLSFiles("", info.CertFile, info.KeyFile),
	} {
		_, err = Open(t.Context(), newMachine(), only, hurried, files)
		require.ErrorIs(t, err, ErrUnanswered, name)
		require.ErrorContains(t, err, endpoint, "and it says who did not answer")
	}
	for _, files := range []Option{TLSFiles("/missing", "", ""), TLSFiles(info.KeyFile, "", ""), TLSFiles("", info.CertFile, "")} {
		_, err = Open(t.Context(), newMachine(), only, files)
		require.Error(t, err)
	}
}
