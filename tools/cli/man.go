package cli

import (
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages, for those who package the program. They are made from the commands themselves, so
// that they cannot say anything else than --help.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages into a directory that exists", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: a.does(func(args []string) error {
			root := a.root()
			root.DisableAutoGenTag = true
			root.InitDefaultCompletionCmd()
			header := doc.GenManHeader{Section: "1", Source: program + " " + versionOf().Version, Manual: "User commands", Date: sourceDate()}
			return doc.GenManTree(root, &header, args[0])
		}),
	}
}

// sourceDate is when the source was committed, so that the pages of two builds are the same; nil, which is today, where that is
// not known.
func sourceDate() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key != "vcs.time" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
			return &at
		}
	}
	return nil
}
