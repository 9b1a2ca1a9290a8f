package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"containlease/persist"
)

// Append adds one line to the audit log, audit.jsonl, and returns when it lasts. The line is written in one call, with
// the newline that it may lack; a last line torn by an earlier crash or a full disk is ended first, and kept. The caller
// holds the catalogue lock. ErrName for another file or a line with a newline inside; *persist.RecordError.
func (h *Home) Append(name string, line []byte) error {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if name != auditName || bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("%w: one line is appended to %s, not %d to %q", ErrName, auditName, 1+bytes.Count(line, []byte{'\n'}), name)
	}
	if err := h.root.check(); err != nil {
		return err
	}
	fd, size, err := h.openAudit(name)
	if err != nil {
		return err
	}
	defer h.sys.Close(fd)
	whole := append(bytes.Clone(line), '\n')
	if torn, err := h.torn(fd, size); err != nil {
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
	return h.root.sync(h.root.doubts.Load())
}

func (h *Home) openAudit(name string) (fd int, size int64, err error) {
	fd, i, err := h.root.openPrivate(name, appending)
	if !errors.Is(err, persist.ErrNotExist) {
		return fd, i.Size, err
	}
	fd, err = h.sys.Create(h.root.fd, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return -1, 0, h.root.failed("create", name, err)
	} else if err == nil {
		_ = h.sys.Close(fd) // it was not opened to append
	}
	fd, i, err = h.root.openPrivate(name, appending)
	return fd, i.Size, err
}

func (h *Home) torn(fd int, size int64) (bool, error) {
	if size == 0 {
		return false, nil
	}
	last := make([]byte, 1)
	n, err := h.sys.Pread(fd, last, size-1)
	return n == 1 && last[0] != '\n', err
}
