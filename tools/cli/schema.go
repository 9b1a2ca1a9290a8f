package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"containlease/schema"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"
)

// outputs are the JSON documents of the commands. Their schemas are made from the types that are printed, so the two
// cannot differ.
var outputs = map[string]any{
	"list-v1":     listing{},
	"show-v1":     showing{},
	"doctor-v1":   findings{},
	"validate-v1": validation{},
	"status-v1":   status{},
	"plugins-v1":  pluginList{},
	"schemas-v1":  schemaNames{},
	"version-v1":  versionInfo{},
	"fleet-v1":    fleetListing{},
	"change-v1":   fleetChange{},
}

type schemaNames struct {
	Schema string   `json:"schema"`
	Names  []string `json:"names"`
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print a published JSON Schema, or the names of all", Args: cobra.MaximumNArgs(1),
		Long: `schema prints the published JSON Schemas (draft 2020-12): of every record that a home holds, byte
for byte, and of every JSON document that the commands print.`,
		RunE: a.does(func(args []string) error {
			if len(args) == 1 {
				return a.printSchema(args[0])
			}
			if a.output == outputJSON {
				return a.printJSON(schemaNames{"containlease/schemas-v1", published()})
			}
			return a.print(strings.Join(published(), "\n") + "\n")
		}),
	}
}

func published() []string {
	return slices.Sorted(slices.Values(slices.Concat(schema.Names(), slices.Collect(maps.Keys(outputs)))))
}

func (a *app) printSchema(name string) error {
	if text, ok := schema.Read(name); ok {
		return a.print(string(text))
	}
	document, ok := outputs[name]
	if !ok {
		return usagef("there is no schema %q, only %s", name, strings.Join(published(), ", "))
	}
	text, err := json.MarshalIndent(outputSchema(name, document), "", "  ")
	if err != nil {
		return err
	}
	return a.print(string(text) + "\n")
}

func outputSchema(name string, document any) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	s := r.Reflect(document)
	s.ID = jsonschema.ID("urn:" + program + ":output:" + name)
	if schemaName, ok := s.Properties.Get("schema"); ok {
		schemaName.Const = program + "/" + name
	}
	return s
}
