package persisttest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"containlease/persist"
)

// Fault is what happens to one write.
type Fault int

// The faults of a write. A store that keeps its contract may show any of them.
const (
	None             Fault = iota
	NotStaged              // staging fails: nothing can land
	LostRequest            // the publication never arrives, and nobody says so: persist.ErrUnsettled
	LostReply              // it lands, durably, and its reply is lost: persist.ErrUnsettled
	LandsLate              // its reply is lost; it is on its way until Deliver, and lands then if its condition still holds
	ErrorAfterCommit       // it is published and made durable, and Settle fails: persist.ErrUnsettled
	NotDurable             // it is published, and Settle cannot make it durable: persist.ErrNotDurable
	Slow                   // the publication waits for Resume, or for the end of its context: then it is a LostRequest
)

// Faults is all of them, None too.
var Faults = []Fault{None, NotStaged, LostRequest, LostReply, LandsLate, ErrorAfterCommit, NotDurable, Slow}

func (f Fault) String() string {
	return [...]string{"none", "not staged", "lost request", "lost reply", "lands late", "error after commit", "not durable", "slow"}[f]
}

// ErrInjected is the cause of everything that a Faulty refuses.
var ErrInjected = errors.New("injected fault")

// Faulty is a store that goes wrong as it is told. It implements [persist.Store] and [persist.Syncer]. Safe for concurrent use; the
// faults go to the writes in the order in which these are staged, or a removal asked for.
type Faulty struct {
	persist.Store

	mu        sync.Mutex
	next      []Fault
	blind     bool
	late      []persist.Attempt
	removed   map[string]bool
	resume    chan struct{}
	waiting   chan string
	published map[string][]persist.Digest
}

// NewFaulty puts a faulty store before s.
func NewFaulty(s persist.Store) *Faulty {
	return &Faulty{Store: s, removed: map[string]bool{}, published: map[string][]persist.Digest{},
		resume: make(chan struct{}), waiting: make(chan string, 1)}
}

// Next sets the faults of the writes to come, one each; those after are made without.
func (f *Faulty) Next(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = faults
}

// Blind makes every read fail with a *persist.RecordError of kind Unreadable, until it is taken back.
func (f *Faulty) Blind(blind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blind = blind
}

// Late counts the writes that are on their way.
func (f *Faulty) Late() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.late)
}

// Deliver lets the late writes arrive. A creation of a record that was removed meanwhile does not land: the contract of
// [persist.Store.Remove] rules it out.
func (f *Faulty) Deliver() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, a := range late {
		f.mu.Lock()
		void := a.Op == persist.Create && f.removed[a.Key]
		f.mu.Unlock()
		if !void && a.Do(context.Background(), f.Store, nil) == nil {
			f.note(a)
		}
	}
}

// Waiting yields the key of a slow write that has begun to wait.
func (f *Faulty) Waiting() <-chan string { return f.waiting }

// Resume lets one slow write go on, and blocks until it does.
func (f *Faulty) Resume() { f.resume <- struct{}{} }

// Published returns the digests that were published under key, in order; a removal is a zero one. Publications that changed
// nothing because the same bytes were there are in it too.
func (f *Faulty) Published(key string) []persist.Digest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]persist.Digest(nil), f.published[key]...)
}

func (f *Faulty) note(a persist.Attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var d persist.Digest
	if a.Op == persist.Remove {
		f.removed[a.Key] = true
	} else {
		d = persist.DigestOf(a.Next)
	}
	f.published[a.Key] = append(f.published[a.Key], d)
}

func (f *Faulty) pop() Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.next) == 0 {
		return None
	}
	first := f.next[0]
	f.next = f.next[1:]
	return first
}

func (f *Faulty) isBlind() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blind
}

// Read is the store's, unless it is blind.
func (f *Faulty) Read(ctx context.Context, key string) (persist.Entry, error) {
	if f.isBlind() {
		return persist.Entry{}, unreadable(key)
	}
	return f.Store.Read(ctx, key)
}

// List is the store's; while it is blind every record is a bad one.
func (f *Faulty) List(ctx context.Context) iter.Seq2[persist.Entry, error] {
	return func(yield func(persist.Entry, error) bool) {
		for e, err := range f.Store.List(ctx) {
			if err == nil && f.isBlind() {
				e = persist.Entry{Key: e.Key, Err: unreadable(e.Key)}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func unreadable(key string) error {
	return &persist.RecordError{Key: key, Kind: persist.Unreadable, Err: ErrInjected}
}

// Sync takes a fault of its own: NotDurable, or any that fails a write, fails it.
func (f *Faulty) Sync(ctx context.Context, key string) error {
	if f.pop() != None {
		return fmt.Errorf("%w: %w", persist.ErrNotDurable, ErrInjected)
	}
	if s, ok := f.Store.(persist.Syncer); ok {
		return s.Sync(ctx, key)
	}
	return nil
}
