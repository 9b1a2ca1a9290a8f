package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// Option says how to reach the cluster. Endpoints is needed; the rest has defaults.
type Option func(*options)

type options struct {
	endpoints      []string
	ca, cert, key  string
	user, password string
	try, deadline  time.Duration
	page           int64
	readOnly       bool
	dial           []grpc.DialOption
}

// Endpoints are the members' client URLs: https://host:2379, or http:// where the network is trusted.
func Endpoints(urls ...string) Option {
	return func(o *options) { o.endpoints = append(o.endpoints, urls...) }
}

// TLSFiles are PEM files: the authority that signed the members' certificates, and this client's certificate and key.
// Empty names are left out: without ca the system's authorities count, without cert and key the client shows none.
func TLSFiles(ca, cert, key string) Option {
	return func(o *options) { o.ca, o.cert, o.key = ca, cert, key }
}

// Login authenticates by user and password.
func Login(user, password string) Option {
	return func(o *options) { o.user, o.password = user, password }
}

// Timeouts bounds one request (default 2 s) and one operation with all its repeats (default 10 s): a transaction whose
// outcome is not known then is persist.ErrUnsettled. A zero keeps the default.
func Timeouts(request, operation time.Duration) Option {
	return func(o *options) {
		if request > 0 {
			o.try = request
		}
		if operation > 0 {
			o.deadline = operation
		}
	}
}

// PageSize is how many records a listing asks for at a time (default 1000).
func PageSize(n int) Option { return func(o *options) { o.page = int64(max(n, 1)) } }

// ReadOnly opens a store that registers nothing and refuses every write with ErrReadOnly.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// conn is a connection with its patience.
type conn struct {
	client *clientv3.Client
	options
}

func dial(ctx context.Context, opts []Option) (*conn, error) {
	c := &conn{options: options{try: 2 * time.Second, deadline: 10 * time.Second, page: 1000}}
	for _, opt := range opts {
		opt(&c.options)
	}
	if len(c.endpoints) == 0 {
		return nil, errors.New("etcd: no endpoint was given")
	}
	security, err := c.security()
	if err != nil {
		return nil, err
	}
	err = c.ask(ctx, func(context.Context) (err error) { // authenticates
		c.client, err = clientv3.New(clientv3.Config{
			Endpoints: c.endpoints, TLS: security, Username: c.user, Password: c.password,
			DialTimeout: c.try, DialKeepAliveTime: 5 * c.try, DialKeepAliveTimeout: c.try,
			DialOptions: c.dial, Logger: zap.NewNop(),
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to etcd at %v: %w", c.endpoints, err)
	}
	return c, nil
}

// security is the TLS configuration, nil without files: then the URLs' scheme decides.
func (o *options) security() (*tls.Config, error) {
	if o.ca == "" && o.cert == "" && o.key == "" {
		return nil, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.ca != "" {
		pem, err := os.ReadFile(o.ca)
		if err != nil {
			return nil, fmt.Errorf("certificate authority for etcd: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificate authority for etcd: %s holds no PEM certificate", o.ca)
		}
	}
	if o.cert != "" || o.key != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, fmt.Errorf("client certificate for etcd: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

// Close ends the connection. Operations under way fail.
func (c *conn) Close() error { return c.client.Close() }
