package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"containlease/persist"
)

// Durability says what a small record must survive.
type Durability int

// Volatile outlives the process, and is whole or absent. Durable also outlives the power: file and directory are synced.
const (
	Volatile Durability = iota
	Durable
)

// record finds the place of a record: machine.json, owners/<id>.json, owners/<id>.empty, plugins/<plugin id>.json.
func (h *Home) record(name string) (*dir, string, error) {
	folder, file, _ := strings.Cut(name, "/")
	base, isJSON := strings.CutSuffix(file, recordSuffix)
	owner, isEmpty := strings.CutSuffix(file, emptySuffix)
	switch {
	case name == machineName:
		return h.root, name, nil
	case folder == pluginsDir && isJSON && isPluginID(base):
		return h.plugins, file, nil
	case folder == ownersDir && (isJSON && isKey(base) || isEmpty && isKey(owner)):
		return h.owners, file, nil
	}
	return nil, "", fmt.Errorf("%w: %q", ErrName, name)
}

// ReadRecord returns the bytes of a small record by the careful read of the leases. persist.ErrNotExist;
// *persist.RecordError; ErrName; ErrHomeReplaced of a plugin's, by which an acquire decides: an owner's says nothing that its
// lease, read from a directory that is looked at, does not confirm by its token.
func (h *Home) ReadRecord(name string) ([]byte, error) {
	d, file, err := h.record(name)
	if err != nil {
		return nil, err
	}
	if d == h.plugins {
		if err := d.check(); err != nil {
			return nil, err
		}
	}
	content, err := d.read(context.Background(), file)
	if errors.Is(err, persist.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", d.join(file), err)
	}
	return content, err
}

// WriteRecord puts content under name in one step, whatever was there. Two writers of one name at a time are the
// caller's mistake. ErrName; ErrHomeReplaced; persist.ErrUnsettled or persist.ErrNotDurable where it is, or may be,
// visible but not proved durable; any other error: not written.
func (h *Home) WriteRecord(name string, content []byte, d Durability) error {
	return h.put(name, content, d, (*newFile).supplant)
}

// CreateRecord is WriteRecord for a name that must be free: persist.ErrExists.
func (h *Home) CreateRecord(name string, content []byte, d Durability) error {
	return h.put(name, content, d, (*newFile).appear)
}

func (h *Home) put(name string, content []byte, durability Durability, publish func(*newFile, string) error) error {
	d, file, err := h.record(name)
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	make := d.newFile
	if durability == Durable { // two processes that meet a new home may make its record at once
		make = func(temp string) (*newFile, error) { return d.stagedFile(context.Background(), temp) }
	}
	f, err := make(file + nextSuffix)
	if err != nil {
		return err
	}
	if err = f.fill(content); err == nil && durability == Durable {
		err = f.syncData()
	}
	doubts := d.doubts.Load()
	if err == nil {
		err = publish(f, file)
	}
	switch {
	case errors.Is(err, persist.ErrUnsettled):
		f.close()
		return err
	case err != nil:
		f.drop()
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s: %w", d.join(file), persist.ErrExists)
		}
		return err
	}
	f.close()
	if durability == Durable {
		return d.settle(doubts)
	}
	return nil
}

// EnsureRecord makes a record outlive the power that may have been published by a process that died before its sync. Whoever
// will rely on a record that he did not write himself calls it once, after reading. persist.ErrNotExist; ErrName;
// *persist.RecordError; persist.ErrNotDurable.
//
// A record that is proved to be on the disk gets a time of change that no clock gives it, so that only the first one pays.
// It is given by name, and so perhaps to another file that has just taken the name and is not proved: the time is therefore
// good of one file only, which is held open meanwhile, so that no other one can get its number.
func (h *Home) EnsureRecord(name string) error {
	d, file, err := h.record(name)
	if err != nil {
		return err
	}
	doubts := d.doubts.Load()
	fd, i, err := d.openPrivate(file, reading)
	if errors.Is(err, persist.ErrNotExist) {
		return fmt.Errorf("%s: %w", d.join(file), err)
	} else if err != nil {
		return err
	}
	defer d.sys.Close(fd)
	if i.Mtime == proved(i.Inode) {
		return nil
	}
	if err := d.check(); err != nil {
		return err
	}
	// The content too: a version before this one, or another writer, may have synced it while it had no name.
	if err := h.sys.SyncData(fd); err != nil {
		return fmt.Errorf("%w: %w", persist.ErrNotDurable, d.failed("sync", file, err))
	}
	if err := d.settle(doubts); err != nil {
		return err
	}
	_ = d.sys.SetMtime(d.fd, file, proved(i.Inode)) // without it, the next one syncs once more
	return nil
}

// proved is the time of change, in nanoseconds since 1970, of a record whose name is known to be on the disk: the number of
// its file, which for most numbers is a moment of that year. What a file system cannot keep is only proved again.
func proved(id inode) int64 { return int64(1 + id.Ino%(1<<60)) }

// RemoveRecord removes a small record durably. persist.ErrNotExist: there is none. ErrName; persist.ErrNotDurable.
func (h *Home) RemoveRecord(name string) error {
	d, file, err := h.record(name)
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	doubts := d.doubts.Load()
	switch err := d.sys.Unlink(d.fd, file); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", d.join(file), persist.ErrNotExist)
	case err != nil:
		return d.failed("remove", file, err)
	}
	return d.settle(doubts)
}

// RecordNames lists the records of "owners" or "plugins", sorted, as ReadRecord takes them. Other names are left out.
// ErrName for another directory; ErrHomeReplaced.
func (h *Home) RecordNames(dir string) ([]string, error) {
	d := h.owners
	switch dir {
	case ownersDir:
	case pluginsDir:
		d = h.plugins
	default:
		return nil, fmt.Errorf("%w: %q is no directory of records", ErrName, dir)
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	files, err := d.sys.Names(d.fd)
	if err != nil {
		return nil, d.failed("list", ".", err)
	}
	var names []string
	for _, file := range files {
		if _, _, err := h.record(dir + "/" + file); err == nil {
			names = append(names, dir+"/"+file)
		}
	}
	slices.Sort(names)
	return names, nil
}
