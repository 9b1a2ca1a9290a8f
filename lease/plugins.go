package lease

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"
)

func pluginRecord(id string) string { return "plugins/" + id + ".json" }

// Plugin returns the record of an enabled plugin. ErrNotExist, *PluginRecordError; any other error: it could not be read.
func (r *Registry) Plugin(id string) (*leasefile.PluginV1, error) {
	b, err := r.home.ReadRecord(pluginRecord(id))
	if isBad(err) {
		return nil, r.badRecord(id, err)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", id, err)
	}
	p, err := leasefile.DecodePluginV1File(b)
	if err == nil && p.Identity.PluginID != id {
		err = fmt.Errorf("the record is about plugin %s", p.Identity.PluginID)
	}
	if err != nil {
		return nil, r.badRecord(id, err)
	}
	return p, nil
}

// checkActive refuses an identity that is not exactly what is enabled. The five fields are those that the original
// program compares; what varies from one operation to the next is not among them.
func (r *Registry) checkActive(op leasefile.OperationIdentity, required bool) error {
	p, err := r.Plugin(op.PluginID)
	if errors.Is(err, persist.ErrNotExist) {
		if !required {
			return nil
		}
		return fmt.Errorf("%w: plugin %s has no record; enable it with `containlease plugin enable FILE`", ErrNotActive, op.PluginID)
	}
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, is, want string }{
		{"pluginVersion", op.PluginVersion, p.Identity.PluginVersion},
		{"bundleSha256", op.BundleSHA256, p.Identity.BundleSHA256},
		{"manifestSha256", op.ManifestSHA256, p.Identity.ManifestSHA256},
	} {
		if f.is != f.want {
			return fmt.Errorf("%w: plugin %s: %s is %q, enabled is %q; `containlease plugin enable` the new one, or start the enabled one",
				ErrNotActive, op.PluginID, f.name, f.is, f.want)
		}
	}
	return nil
}

// EnablePlugin makes p the one identity with which its plugin may start. When it returns, no acquire that saw the former
// record can still be admitted. ErrInvalid, ErrReadOnly.
func (r *Registry) EnablePlugin(ctx context.Context, p *leasefile.PluginV1) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("%w: the plugin record: %w", ErrInvalid, err)
	}
	return r.changePlugin(ctx, func() error {
		return r.home.WriteRecord(pluginRecord(p.Identity.PluginID), p.AppendCanonical(nil), file.Durable)
	})
}

// DisablePlugin takes the record of plugin id away: it may then start with any identity, unless the caller of Acquire requires
// a record. ErrNotExist, ErrReadOnly.
func (r *Registry) DisablePlugin(ctx context.Context, id string) error {
	return r.changePlugin(ctx, func() error {
		if _, err := r.home.ReadRecord(pluginRecord(id)); errors.Is(err, persist.ErrNotExist) {
			return fmt.Errorf("plugin %s: %w", id, err)
		}
		return r.home.RemoveRecord(pluginRecord(id))
	})
}

// changePlugin makes a change, which syncs and so is not made under the catalogue lock, and then passes through that lock once:
// whoever checked before the change has published by then.
func (r *Registry) changePlugin(ctx context.Context, change func() error) error {
	if r.opt.readOnly {
		return fmt.Errorf("%w: %s", ErrReadOnly, r.home.Dir())
	}
	if err := change(); err != nil {
		return err
	}
	return r.locked(ctx, file.Exclusive)(func() error { return nil })
}

// Plugins returns the records of all enabled plugins, by name. One that cannot be read is an error that names it; the others
// are returned all the same.
func (r *Registry) Plugins() ([]*leasefile.PluginV1, error) {
	names, err := r.home.RecordNames("plugins")
	if err != nil {
		return nil, err
	}
	var out []*leasefile.PluginV1
	var bad []error
	for _, name := range names {
		p, err := r.Plugin(strings.TrimSuffix(path.Base(name), ".json"))
		if err != nil {
			bad = append(bad, err)
			continue
		}
		out = append(out, p)
	}
	return out, errors.Join(bad...)
}
