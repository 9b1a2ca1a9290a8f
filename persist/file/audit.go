package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"containlease/persist"
)

// Append adds one line to the audit log, audit.jsonl, and returns when it lasts. The line is written in one call, with
// the newline that it may lack; a last line torn by an earlier crash or a full disk is ended first, and kept. Writers take
// turns by a lock of the file itself: it is synced while they wait, so the catalogue lock must not be held. The wait ends
// with ctx, whose cause is then the error; a line once begun is brought to its end. ErrName for another file or a line with
// a newline inside; *persist.RecordError.
func (h *Home) Append(ctx context.Context, name string, line []byte) error {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if name != auditName || bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("%w: one line is appended to %s, not %d to %q", ErrName, auditName, 1+bytes.Count(line, []byte{'\n'}), name)
	}
	if err := h.root.check(); err != nil {
		return err
	}
	doubts := h.root.doubts.Load()
	fd, err := h.openAudit(name)
	if err != nil {
		return err
	}
	defer h.sys.Close(fd)
	if err := h.takeTurn(ctx, fd); err != nil {
		return h.root.failed("lock", name, err)
	}
	defer func() { _ = h.sys.Flock(fd, unlock) }() // the close that follows does it too
	whole := append(bytes.Clone(line), '\n')
	if torn, err := h.torn(fd); err != nil {
		return h.root.failed("read", name, err)
	} else if torn {
		whole = append([]byte{'\n'}, whole...)
	}
	n, err := h.sys.Append(fd, whole)
	if err == nil && n < len(whole) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return h.root.failed("append to", name, err)
	}
	if err := h.sys.Sync(fd); err != nil {
		return h.root.failed("sync", name, err)
	}
	// Another process may have made the file a moment ago and not have synced its name yet.
	return h.root.sync(doubts)
}

func (h *Home) openAudit(name string) (int, error) {
	fd, _, err := h.root.openPrivate(name, appending)
	if !errors.Is(err, persist.ErrNotExist) {
		return fd, err
	}
	fd, err = h.sys.Create(h.root.fd, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return -1, h.root.failed("create", name, err)
	} else if err == nil {
		_ = h.sys.Close(fd) // it was not opened to append
	}
	fd, _, err = h.root.openPrivate(name, appending)
	return fd, err
}

// takeTurn waits until no other writer has the file: for as long as their lines take to sync, unless one is stopped.
func (h *Home) takeTurn(ctx context.Context, fd int) error {
	for {
		if err := h.sys.Flock(fd, lockExclusive); !errors.Is(err, errBusy) {
			return err
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// torn reports whether the last line lacks its end. The writer's turn has come: nobody else adds to the file.
func (h *Home) torn(fd int) (bool, error) {
	i, err := h.sys.Stat(fd)
	if err != nil || i.Size == 0 {
		return false, err
	}
	last := make([]byte, 1)
	n, err := h.sys.Pread(fd, last, i.Size-1)
	return n == 1 && last[0] != '\n', err
}
