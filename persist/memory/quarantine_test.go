//go:build linux || darwin || freebsd

package memory_test

import (
	"errors"

	"containlease/persist"
)

// quarantine takes the lease away and keeps its bytes: at every moment they are in one of both places.
func quarantine(w *world) error {
	w.quarantined = "moving"
	w.may[key] = append(w.may[key], "")
	err := w.move()
	if err == nil {
		w.quarantined, w.may[key] = "moved", []string{""}
	}
	return err
}

// move moves the lease, and syncs both directories.
func (w *world) move() error {
	var settle func() error
	err := w.locked(func() (err error) { _, settle, err = w.home.Quarantine(key); return err })
	if err == nil {
		err = settle()
	}
	return err
}

// checkQuarantine: the bytes are in one of both places, or in both until the move is made again.
func (w *world) checkQuarantine() error {
	if w.quarantined == "moving" {
		err := w.move()
		if err == nil {
			w.quarantined = "moved"
		} else if !errors.Is(err, persist.ErrNotExist) {
			return err
		}
	}
	if w.raw("/leases/"+key+".json") != "" {
		return errors.New("it came back")
	}
	for _, name := range []string{"", ".1", ".2"} {
		if w.raw("/quarantine/"+key+".json"+name) == string(v[0]) {
			return nil
		}
	}
	return errors.New("quarantine lost the bytes")
}
