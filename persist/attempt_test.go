package persist_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// store is one record in memory whose answers can be spoiled.
type store struct {
	content  []byte // nil: no record
	stage    error  // of the next Stage
	lost     bool   // the next publication lands and says ErrUnsettled
	dropped  bool   // the next publication does not land and says ErrUnsettled
	late     func() // a dropped publication lands when this is called
	settle   error  // of the next Settle
	read     error
	synced   int
	inLock   bool
	unlocked int // publications outside the lock
}

type write struct {
	s    *store
	next []byte
}

func (s *store) Read(context.Context, string) (persist.Entry, error) {
	switch {
	case s.read != nil:
		return persist.Entry{}, s.read
	case s.content == nil:
		return persist.Entry{}, persist.ErrNotExist
	}
	return persist.Entry{Content: s.content, Digest: persist.DigestOf(s.content)}, nil
}

func (s *store) List(context.Context) iter.Seq2[persist.Entry, error] { panic("not asked here") }

func (s *store) Stage(_ context.Context, _ string, content []byte) (persist.Write, error) {
	if err := s.stage; err != nil {
		s.stage = nil
		return nil, err
	}
	return &write{s, content}, nil
}

func (s *store) Remove(_ context.Context, _ string, old persist.Digest) (persist.Write, error) {
	return &write{s: s}, s.publish(nil, s.content != nil && persist.DigestOf(s.content) == old, persist.ErrChanged)
}

func (s *store) Sync(context.Context, string) error { s.synced++; return nil }

func (s *store) publish(next []byte, condition bool, refusal error) error {
	if !s.inLock {
		s.unlocked++
	}
	if !condition {
		return refusal
	}
	switch {
	case s.dropped:
		s.dropped = false
		before := s.content
		s.late = func() {
			if string(s.content) == string(before) {
				s.content = next
			}
		}
		return persist.ErrUnsettled
	case s.lost:
		s.lost = false
		s.content = next
		return persist.ErrUnsettled
	}
	s.content = next
	return nil
}

func (w *write) Create(context.Context) error {
	return w.s.publish(w.next, w.s.content == nil, persist.ErrExists)
}

func (w *write) Replace(_ context.Context, old persist.Digest) error {
	return w.s.publish(w.next, w.s.content != nil && persist.DigestOf(w.s.content) == old, persist.ErrChanged)
}

func (w *write) Settle(context.Context) error {
	err := w.s.settle
	w.s.settle = nil
	return err
}

func (w *write) Discard() {}

func (s *store) lock(publish func() error) error {
	s.inLock = true
	defer func() { s.inLock = false }()
	return publish()
}

var (
	one, two = []byte("one"), []byte("two")
	attempts = map[string]struct {
		before  []byte
		attempt persist.Attempt
		after   []byte
		refusal error
	}{
		"create":  {nil, persist.Attempt{Op: persist.Create, Next: two}, two, persist.ErrExists},
		"replace": {one, persist.Attempt{Op: persist.Replace, Old: persist.DigestOf(one), Next: two}, two, persist.ErrChanged},
		"remove":  {one, persist.Attempt{Op: persist.Remove, Old: persist.DigestOf(one)}, nil, persist.ErrChanged},
	}
	errDisk = errors.New("disk")
)

func TestOutcomes(t *testing.T) {
	for name, a := range attempts {
		run := func(what string, prepare func(*store), want error, after []byte) {
			t.Run(name+"/"+what, func(t *testing.T) {
				s := &store{content: a.before}
				prepare(s)
				err := a.attempt.Do(t.Context(), s, s.lock)
				require.ErrorIs(t, err, want)
				if want == nil {
					require.NoError(t, err)
				}
				require.Equal(t, string(after), string(s.content))
				require.Zero(t, s.unlocked, "published outside the lock")
			})
		}
		other := []byte("somebody's")
		run("landed", func(*store) {}, nil, a.after)
		run("refused", func(s *store) { s.content = other }, a.refusal, other)
		run("not durable", func(s *store) { s.settle = persist.ErrNotDurable }, persist.ErrNotDurable, a.after)
		run("reply lost", func(s *store) { s.lost = true }, persist.ErrUnsettled, a.after)
		if a.attempt.Op != persist.Remove {
			run("not staged", func(s *store) { s.stage = errDisk }, errDisk, a.before)
			run("our own bytes are there already", func(s *store) { s.content = a.after }, a.refusal, a.after)
		}
	}
}

// What was published was published, whatever becomes of the lock.
func TestLockThatCannotBeGivenBack(t *testing.T) {
	for name, a := range attempts {
		s := &store{content: a.before}
		err := a.attempt.Do(t.Context(), s, func(publish func() error) error { return errors.Join(s.lock(publish), errDisk) })
		require.NoError(t, err, name)
		require.Equal(t, string(a.after), string(s.content), name)
		s = &store{content: a.before}
		require.ErrorIs(t, a.attempt.Do(t.Context(), s, func(func() error) error { return errDisk }), errDisk, name)
		require.Equal(t, string(a.before), string(s.content), name)
	}
}

func TestSettle(t *testing.T) {
	for name, a := range attempts {
		settle := func(what string, prepare func(*store), then func(*store), want error, after []byte) {
			t.Run(name+"/"+what, func(t *testing.T) {
				s := &store{content: a.before}
				prepare(s)
				require.ErrorIs(t, a.attempt.Do(t.Context(), s, s.lock), persist.ErrUnsettled)
				then(s)
				err := a.attempt.Settle(t.Context(), s, s.lock)
				require.ErrorIs(t, err, want)
				if want == nil {
					require.NoError(t, err)
				}
				require.Equal(t, string(after), string(s.content))
			})
		}
		lost, dropped := func(s *store) { s.lost = true }, func(s *store) { s.dropped = true }
		other := []byte("somebody's")
		settle("it had landed", lost, func(*store) {}, nil, a.after)
		settle("it had not", dropped, func(*store) {}, nil, a.after)
		settle("it lands late", dropped, func(s *store) {
			require.Equal(t, string(a.before), string(s.content), "read back as old")
			s.late()
		}, nil, a.after)
		settle("somebody else was there", dropped, func(s *store) { s.content = other }, a.refusal, other)
		settle("lost again", lost, func(s *store) { s.content, s.lost = a.before, true }, persist.ErrUnsettled, a.after)
		settle("unreadable", lost, func(s *store) { s.read = errDisk }, persist.ErrUnsettled, a.after)
		if a.attempt.Op != persist.Remove {
			settle("it cannot be sent again", lost, func(s *store) { s.stage = errDisk }, persist.ErrUnsettled, a.after)
			settle("hardening fails", lost, func(s *store) { s.settle = errDisk }, persist.ErrNotDurable, a.after)
		}
	}
	s := &store{content: one, lost: true}
	a := attempts["remove"].attempt
	require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
	require.NoError(t, a.Settle(t.Context(), s, nil))
	require.Equal(t, 1, s.synced, "a removal found to have landed is made durable")
}

func TestNotDurableIsUnsettled(t *testing.T) {
	require.ErrorIs(t, persist.ErrNotDurable, persist.ErrUnsettled)
	require.NotErrorIs(t, persist.ErrUnsettled, persist.ErrNotDurable)
}

func TestDigest(t *testing.T) {
	d := persist.DigestOf([]byte("one\n"))
	got, err := persist.ParseDigest(d.String())
	require.NoError(t, err)
	require.Equal(t, d, got)
	for _, bad := range []string{"", "0", d.String()[:63], d.String() + "0", "Z" + d.String()[1:], "A" + d.String()[1:]} {
		_, err := persist.ParseDigest(bad)
		require.Error(t, err, bad)
	}
}
