package cli

import "github.com/spf13/cobra"

func (a *app) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use: "watch", Short: "Tell what happens to the leases, as it happens", Args: cobra.NoArgs, Long: watchText,
		RunE: a.does(func([]string) error { return a.watchHome() }),
	}
}
