package lease

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"containlease/persist"
)

// PluginRecordError is what lies in a plugin record's place and is none: beside it that plugin is not started. errors.Is(err,
// ErrInvalid).
type PluginRecordError struct {
	Plugin string // by the name of the file
	Path   string // absolute
	Err    error  // what is wrong with it
}

func (e *PluginRecordError) Error() string {
	return fmt.Sprintf("the record of plugin %s is invalid, so it is not started until there is another in its place: %s: %v",
		e.Plugin, e.Path, e.Err)
}

func (e *PluginRecordError) Unwrap() []error { return []error{ErrInvalid, e.Err} }

// badRecord is a record that cannot be taken for what it says. Nothing is advised that would widen what may start: a record is put
// in its place, and none is taken away.
func (r *Registry) badRecord(id string, err error) error {
	at := filepath.Join(r.home.Dir(), filepath.FromSlash(pluginRecord(id)))
	return &PluginRecordError{Plugin: id, Path: at, Err: err}
}

// isBad tells a record that is wrong from one that could not be read just now.
func isBad(err error) bool {
	var bad *persist.RecordError
	return errors.As(err, &bad) && bad.Kind != persist.Unreadable && bad.Kind != persist.Unstable
}

// BadPlugins lists the records of plugins that are none, by name. The error is of the listing, or of a record of which it cannot be
// told.
func (r *Registry) BadPlugins() ([]*PluginRecordError, error) {
	names, err := r.home.RecordNames("plugins")
	if err != nil {
		return nil, err
	}
	var out []*PluginRecordError
	var failed []error
	for _, name := range names {
		_, err := r.Plugin(strings.TrimSuffix(path.Base(name), ".json"))
		var bad *PluginRecordError
		switch {
		case errors.As(err, &bad):
			out = append(out, bad)
		case err != nil && !errors.Is(err, ErrNotExist):
			failed = append(failed, err)
		}
	}
	return out, errors.Join(failed...)
}
