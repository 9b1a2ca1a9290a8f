package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/lease"

	"github.com/spf13/cobra"
)

type pluginList struct {
	Schema  string            `json:"schema"`
	Plugins []json.RawMessage `json:"plugins"` // the records themselves, see schema plugin-v1
}

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "plugin", Short: "Say which plugins are enabled, and with exactly which identity",
		Long: `A plugin that has a record may start only with exactly the identity recorded: id, version, host API
version, bundle and manifest digests. A plugin without a record may start unless run is given
--require-enabled.`,
		RunE: a.does(func(args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q for %s plugin", args[0], program)
			}
			return usagef("plugin wants enable, disable or list")
		}),
	}
	c.AddCommand(
		&cobra.Command{Use: "enable FILE", Short: "Enable the plugin of a record (schema plugin-v1)", Args: one("the file of a record"),
			RunE: a.does(func(args []string) error { return a.enable(args[0]) })},
		&cobra.Command{Use: "disable ID", Short: "Remove a plugin's record", Args: one("the id of a plugin"),
			RunE: a.does(func(args []string) error { return a.disable(args[0]) })},
		&cobra.Command{Use: "list", Short: "List the enabled plugins", Args: cobra.NoArgs,
			RunE: a.does(func([]string) error { return a.listPlugins() })},
	)
	return c
}

// enable takes any spelling of a valid record; the home keeps the canonical one.
func (a *app) enable(path string) error {
	b, err := a.readCarefully(path)
	if err != nil {
		return err
	}
	p, err := leasefile.DecodePluginV1(b)
	if err != nil {
		return fmt.Errorf("%w: %s is no plugin record: %w", lease.ErrInvalid, path, err)
	}
	sum, err := digestOf(p.Executable)
	if err != nil {
		return err
	}
	if sum != p.Identity.BundleSHA256 {
		return fmt.Errorf("%w: %s has sha256 %s, but the record's bundleSha256 is %s: it is not the program that the record is about",
			lease.ErrInvalid, p.Executable, sum, p.Identity.BundleSHA256)
	}
	reg, err := a.open()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	if err := reg.EnablePlugin(ctx, p); err != nil {
		return err
	}
	a.note("plugin %s %s is enabled", p.Identity.PluginID, p.Identity.PluginVersion)
	return nil
}

func (a *app) disable(id string) error {
	reg, err := a.openExisting()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	if err := reg.DisablePlugin(ctx, id); err != nil {
		return err
	}
	a.note("plugin %s is disabled", id)
	return nil
}

func (a *app) listPlugins() error {
	reg, err := a.read()
	if err != nil {
		return err
	}
	defer reg.Close()
	plugins, err := reg.Plugins()
	if err != nil {
		return err
	}
	out := pluginList{Schema: "containlease/plugins-v1", Plugins: []json.RawMessage{}}
	var rows []row
	for _, p := range plugins {
		out.Plugins = append(out.Plugins, p.AppendCanonical(nil))
		rows = append(rows, row{cells: []string{p.Identity.PluginID, p.Identity.PluginVersion, p.Executable}})
	}
	switch {
	case a.output == outputJSON:
		return a.printJSON(out)
	case len(rows) == 0:
		a.note("no plugins are enabled in %s", reg.Dir())
		return nil
	}
	return a.print(table([]string{"PLUGIN", "VERSION", "EXECUTABLE"}, rows))
}
