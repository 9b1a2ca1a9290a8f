package file

import (
	"context"
	"fmt"

	"containlease/persist"
)

// Sync makes an earlier removal of key durable, after a sync of it failed. The directory is changed once more, so that
// there is something new to write, and synced through a new descriptor: an old one has told its failure already, and
// would say that all is well. persist.ErrNotDurable; ErrHomeReplaced; persist.ErrExists where the record is there.
func (s *Store) Sync(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := s.d.sys.Lstat(s.d.fd, recordFile(key)); err == nil {
		return s.named(key, persist.ErrExists)
	}
	fresh, err := openDir(s.d.sys, s.d.path)
	if err != nil {
		return fmt.Errorf("%w: %w", persist.ErrNotDurable, err)
	}
	defer fresh.close()
	if fresh.id != s.d.id {
		return fmt.Errorf("%w: %s: %w", persist.ErrNotDurable, s.d.path, ErrHomeReplaced)
	}
	// On a full disk this cannot be done; the sync alone is then the best there is.
	if fd, err := fresh.sys.Create(fresh.fd, nextFile(key)); err == nil {
		_ = fresh.sys.Close(fd)
	}
	_ = fresh.unlink(nextFile(key))
	if err := fresh.settle(0); err != nil {
		s.d.doubts.Add(1)
		return err
	}
	s.clear(key)
	return nil
}
