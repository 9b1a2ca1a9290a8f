package etcd

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"containlease/gen/leasefile"
	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

func newMachine() leasefile.MachineV1 {
	return leasefile.MachineV1{MachineID: uuid.NewString(), BootID: hex64("1")}
}

func hex64(digit string) string { return strings.Repeat(digit, 64) }

// booted is the machine after a reboot.
func booted(m leasefile.MachineV1, digit string) leasefile.MachineV1 {
	m.BootID = hex64(digit)
	return m
}

func open(t testing.TB, m leasefile.MachineV1, opts ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), m, append([]Option{Endpoints(shared)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openFleet(t testing.TB, opts ...Option) *Fleet {
	t.Helper()
	f, err := OpenFleet(t.Context(), append([]Option{Endpoints(shared)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// raw is a client of the cluster that knows no rules.
func raw(t testing.TB, endpoint string, change ...func(*clientv3.Config)) *clientv3.Client {
	t.Helper()
	cfg := clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), DialTimeout: 5 * time.Second}
	for _, c := range change {
		c(&cfg)
	}
	c, err := clientv3.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func attempt(op persist.Op, key string, old, next []byte) persist.Attempt {
	return persist.Attempt{Key: key, Op: op, Old: persist.DigestOf(old), Next: next}
}

// body is a content of n bytes that no other version or length shares.
func body(version, n int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%07d\n", version), n/8+1)[:n])
}

// put makes a write that has to succeed.
func put(t testing.TB, s persist.Store, op persist.Op, key string, old, next []byte) {
	t.Helper()
	require.NoError(t, attempt(op, key, old, next).Do(t.Context(), s, nil))
}

// content is what is stored now; nil where there is no record.
func content(t testing.TB, s persist.Store, key string) []byte {
	t.Helper()
	e, err := s.Read(context.Background(), key)
	if err != nil {
		require.ErrorIs(t, err, persist.ErrNotExist)
		return nil
	}
	require.Equal(t, persist.DigestOf(e.Content), e.Digest)
	return e.Content
}

// sample is a lease of the machine's present boot.
func sample(m leasefile.MachineV1, status leasefile.ContainmentStatus) leasefile.LeaseV2 {
	zeros := hex64("0")
	l := leasefile.LeaseV2{
		AcquiredAt: "2026-11-30T00:00:00.000Z", LeaseID: uuid.NewString(), RunID: uuid.NewString(),
		Owner: leasefile.Owner{PID: 4242, BootID: m.BootID, ProcessStartID: zeros, Token: uuid.NewString()},
		Identity: leasefile.OperationIdentity{
			PluginID: "demo", PluginVersion: "1.0.0", SurfaceID: "demo", AdapterID: "demo", Transport: leasefile.TransportProviderAPI,
			Operation: "command.run", ContractVersion: 1, BundleSHA256: zeros, ManifestSHA256: zeros, DescriptorSHA256: zeros,
		},
		Containment: leasefile.Containment{Status: status},
	}
	if status == leasefile.ContainmentStatusHostActive {
		l.Containment.Host = &leasefile.Host{PID: 4243, BootID: m.BootID, ProcessStartID: zeros}
	}
	return l
}

// withDial adds a fault between client and server.
func withDial(d grpc.DialOption) Option {
	return func(o *options) { o.dial = append(o.dial, d) }
}
