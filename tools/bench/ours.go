//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
)

// content is 1.2 KB like a lease's, another one for every version.
func content(version int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%07d\n", version%10_000_000), 150)
}

// record is one record of the file store that is replaced over and over, each time with its lock and its comparison. Two
// contents take turns, and what they cost to make is not measured.
type record struct {
	home     *file.Home
	key      string
	n        int
	contents [2][]byte
	digests  [2]persist.Digest
}

func newRecord(dir string) (*record, error) {
	home, err := file.Create(dir)
	if err != nil {
		return nil, err
	}
	r := &record{home: home, key: uuid.NewString()}
	for i := range r.contents {
		r.contents[i] = content(i)
		r.digests[i] = persist.DigestOf(r.contents[i])
	}
	return r, persist.Attempt{Key: r.key, Op: persist.Create, Next: r.contents[0]}.Do(context.Background(), home.Store(), r.under)
}

func (r *record) under(publish func() error) error {
	lock, err := r.home.Lock(context.Background(), file.Shared, nil)
	if err != nil {
		return err
	}
	return errors.Join(publish(), lock.Unlock())
}

func (r *record) replace() error {
	old, next := r.n%2, (r.n+1)%2
	r.n++
	return persist.Attempt{Key: r.key, Op: persist.Replace, Old: r.digests[old], Next: r.contents[next]}.Do(context.Background(), r.home.Store(), r.under)
}

func subject(dir, name string) (*record, *bare, error) {
	r, err := newRecord(filepath.Join(dir, name+"-home"))
	if err != nil {
		return nil, nil, err
	}
	b, err := newBare(filepath.Join(dir, name+"-bare"), name, content(0))
	return r, b, err
}
