package etcd

import (
	"context"
	"slices"
	"sync"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/stretchr/testify/require"
)

// fate is what becomes of a request that writes.
type fate int

const (
	pass     fate = iota
	held          // the client hears that the connection broke; the request arrives when land is called
	deaf          // the request is carried out; its reply is lost
	dropped       // the request is lost
	full          // the request is refused: etcd has no space
	overfull      // the request is carried out; the reply says that etcd has no space
	barred        // also reading fails: nothing is answered
	muffled       // as overfull, but then reading fails
	fates    = iota
)

// writes tells a transaction that puts or deletes from one that only looks.
func writes(txn *pb.TxnRequest) bool {
	return slices.ContainsFunc(txn.GetSuccess(), func(op *pb.RequestOp) bool { return op.GetRequestRange() == nil })
}

// network is what lies between one client and the servers.
type network struct {
	t    *testing.T
	mu   sync.Mutex
	fate fate
	once bool // only the next one
	late []func() *pb.TxnResponse
	lost int
}

func (n *network) option() Option {
	return withDial(grpc.WithChainUnaryInterceptor(n.intercept))
}

// let decides the fate of all that follow.
func (n *network) let(f fate) { n.set(f, false) }

// next decides the fate of the next request only.
func (n *network) next(f fate) { n.set(f, true) }

func (n *network) set(f fate, once bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fate, n.once, n.lost = f, once, 0
}

// losses counts the requests whose reply the client did not hear since the fate was decided.
func (n *network) losses() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost
}

func (n *network) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	txn, _ := req.(*pb.TxnRequest)
	n.mu.Lock()
	f := n.fate
	switch {
	case writes(txn):
	case f == muffled:
		f = barred
	case f != barred:
		f = pass
	}
	if f != pass {
		n.lost++
		if n.once {
			n.fate = pass
		}
	}
	if f == held {
		copied := proto.Clone(txn).(*pb.TxnRequest)
		n.late = append(n.late, func() *pb.TxnResponse {
			answer := new(pb.TxnResponse)
			require.NoError(n.t, invoke(context.Background(), method, copied, answer, cc, opts...))
			return answer
		})
	}
	n.mu.Unlock()
	switch f {
	case pass:
		return invoke(ctx, method, req, reply, cc, opts...)
	case full:
		return rpctypes.ErrGRPCNoSpace
	case deaf, overfull, muffled:
		if err := invoke(ctx, method, req, reply, cc, opts...); err != nil {
			return err
		}
		if f != deaf {
			return rpctypes.ErrGRPCNoSpace
		}
	}
	return status.Error(codes.Unavailable, "the connection broke")
}

// land lets every request that was held up arrive, and tells how many changed something.
func (n *network) land() (landed int) {
	n.mu.Lock()
	late := n.late
	n.late = nil
	n.mu.Unlock()
	for _, arrive := range late {
		if arrive().Succeeded {
			landed++
		}
	}
	return landed
}
