// Package persist is bytes under compare-and-swap. It knows nothing of leases.
//
// A [Store] holds small records, one a key. Every write has three steps, so that the caller decides
// what happens between them and under which lock:
//
//	stage    the content becomes durable and stays invisible; no lock is needed
//	publish  one atomic call makes it visible, if the record still has the bytes that are expected
//	settle   the publication becomes durable
//
// [Attempt] is one such write as a value. [Attempt.Do] makes it; [Attempt.Settle] repeats it, unchanged, after an
// unsettled outcome, until the answer is definite. What an outcome means to the caller's memory is in
// errors.go and is the same for every store.
//
// The default store is package persist/file. The locks are always the caller's: a Store takes none.
package persist

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
)

// Digest names a content: the sha256 of the exact bytes.
type Digest [sha256.Size]byte

// DigestOf returns the digest of content.
func DigestOf(content []byte) Digest { return sha256.Sum256(content) }

// String spells the digest as 64 lower-case hex digits, the form used in files and on the command line.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what [Digest.String] wrote; anything else is an error.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) || hex.EncodeToString(b) != s {
		return d, fmt.Errorf("a digest is 64 lower-case hex digits, not %q", s)
	}
	copy(d[:], b)
	return d, nil
}

// Entry is one record as found. The caller owns Content.
type Entry struct {
	Key     string // the key, or the stored name where that is no key (then Err is a *RecordError of kind ForeignName)
	Content []byte // nil where the record could not be read
	Digest  Digest // of Content
	Err     error  // nil for a readable record, else a *RecordError; the other entries are unaffected
}

// Store holds records. Implementations are safe for concurrent use by several goroutines; two writes of one key
// at a time are the caller's mistake (the owner's lock of lease/identity rules it out).
type Store interface {
	// Read returns the record under key. ErrNotExist where there is none. A record that is there and cannot be
	// taken (not a regular file, too large, unreadable, ...) is returned as *RecordError.
	Read(ctx context.Context, key string) (Entry, error)
	// List yields every record; all names are collected before the first entry is yielded. A bad record is
	// an Entry with Err set; the error of the sequence means that the listing itself failed and ends it. A record
	// removed while the listing runs is left out.
	List(ctx context.Context) iter.Seq2[Entry, error]
	// Stage makes content durable and leaves it invisible. Errors: the cause; nothing can land later.
	Stage(ctx context.Context, key string, content []byte) (Write, error)
	// Remove takes the record away if its digest is old: the returned Write is already published and wants only
	// Settle. ErrChanged: other bytes, or no record. ErrUnsettled: it may still land. Needs no free space. A creation of
	// the key that is still on its way must not land any more: the one condition that a removal makes true again.
	Remove(ctx context.Context, key string, old Digest) (Write, error)
}

// Lister is a store that names its records without reading them. It spares an acquire what it knows already; a store without
// it is listed instead.
type Lister interface {
	// Keys returns the keys of all records, in any order. A stored name that is no key is left out: List reports it.
	Keys(ctx context.Context) ([]string, error)
}

// Write is one staged content. It is used once, by one goroutine: Create or Replace, then Settle; or Discard.
type Write interface {
	// Create publishes under a key that has no record. ErrExists: there is one, definitely not ours.
	Create(ctx context.Context) error
	// Replace publishes over the record whose digest is old. ErrChanged: other bytes or no record; definitely not ours.
	Replace(ctx context.Context, old Digest) error
	// Settle makes the publication durable. ErrNotDurable: visible, durability not proved. ErrUnsettled: not even known
	// to be visible. A failed Settle is not repeated on the same Write.
	Settle(ctx context.Context) error
	// Discard gives up a content that was not published. After a publication, or twice, it does nothing.
	Discard()
}
