package cli

import (
	"strings"

	"containlease/schema"

	"github.com/spf13/cobra"
)

type schemaNames struct {
	Schema string   `json:"schema"`
	Names  []string `json:"names"`
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print a published JSON Schema, or the names of all", Args: cobra.MaximumNArgs(1),
		Long: `schema prints the published JSON Schemas (draft 2020-12), byte for byte: of every record that a home
holds, and of every JSON document that the commands print.`,
		RunE: a.does(func(args []string) error {
			if len(args) == 1 {
				return a.printSchema(args[0])
			}
			if a.output == outputJSON {
				return a.printJSON(schemaNames{"containlease/schemas-v1", schema.Names()})
			}
			return a.print(strings.Join(schema.Names(), "\n") + "\n")
		}),
	}
}

func (a *app) printSchema(name string) error {
	text, ok := schema.Read(name)
	if !ok {
		return usagef("there is no schema %q, only %s", name, strings.Join(schema.Names(), ", "))
	}
	return a.print(string(text))
}
