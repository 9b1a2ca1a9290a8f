package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"containlease/gen/wire"
	"containlease/persist"
)

// largestFile is where a reader of whole files stops (format.md).
const largestFile = 1 << 20

// readCarefully reads a file that anybody may have put there, or standard input for "-": it never waits for a FIFO to be
// opened, takes regular files only, and stops at 1 MiB. *persist.RecordError, or *wire.DecodeError of code TooLarge.
func (a *app) readCarefully(path string) ([]byte, error) {
	if path == "-" {
		return readAll(a.stdin)
	}
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := readAll(f)
	var decode *wire.DecodeError
	if err != nil && !errors.As(err, &decode) {
		err = unreadable(path, err)
	}
	return b, err
}

// openRegular opens a regular file, and anything else without waiting for it only to refuse it.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, unreadable(path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = unreadable(path, err)
	case !info.Mode().IsRegular():
		err = &persist.RecordError{Key: path, Kind: persist.NotRegular, Detail: "its mode is " + info.Mode().String()}
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, largestFile+1))
	if err == nil && len(b) > largestFile {
		err = &wire.DecodeError{Code: wire.TooLarge, Offset: largestFile,
			Detail: fmt.Sprintf("more than %d bytes; no file of this format is that large", largestFile)}
	}
	return b, err
}

// unreadable drops the path from the system's error: the record's error names it already.
func unreadable(path string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return &persist.RecordError{Key: path, Kind: persist.Unreadable, Err: err}
}
