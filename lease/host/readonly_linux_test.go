package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"containlease/fsm"
	"containlease/lease"

	"golang.org/x/sys/unix"
)

// lookAtReadOnlyHome lists, shows and examines a home through a read-only mount. Not a byte and not a time of it changes.
func lookAtReadOnlyHome(dir string) error {
	ctx := context.Background()
	path, view := filepath.Join(dir, "home"), filepath.Join(dir, "view")
	writer, err := lease.Open(ctx, path)
	if err != nil {
		return err
	}
	h, err := writer.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(view, 0o700), unix.Mount(path, view, "", unix.MS_BIND, ""),
		unix.Mount("", view, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")); err != nil {
		return err
	}
	before, err := treeHash(path)
	if err != nil {
		return err
	}
	reg, err := lease.Open(ctx, view, lease.ReadOnly())
	if err != nil {
		return err
	}
	n := 0
	for _, err := range reg.List(ctx) {
		if err != nil {
			return err
		}
		n++
	}
	i, err := reg.Inspect(ctx, h.ID())
	rows, rerr := reg.Repair(ctx, lease.RepairOptions{})
	after, herr := treeHash(path)
	if err = errors.Join(err, rerr, herr); err != nil || n != 1 || len(rows) != 1 || i.State != fsm.StateParentOwned || before != after {
		return fmt.Errorf("%d listed, %d examined, state %s, changed: %v, %w", n, len(rows), i.State, before != after, err)
	}
	if _, err := reg.Acquire(ctx, identity, ""); !errors.Is(err, lease.ErrReadOnly) {
		return fmt.Errorf("acquire: %w", err)
	}
	blind, err := lease.Open(ctx, view)
	if err != nil {
		return err
	}
	if _, err := blind.Acquire(ctx, identity, ""); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("acquire by one who did not know: %w", err)
	}
	return nil
}

// treeHash covers names, modes, times and contents.
func treeHash(root string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		fmt.Fprintln(sum, path, st.Mode, st.Size, st.Ino, st.Mtim, st.Ctim)
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum.Write(b)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
