package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"containlease/lease/host"

	"github.com/spf13/cobra"
)

type versionInfo struct {
	Schema       string `json:"schema"`
	Version      string `json:"version"`
	Revision     string `json:"revision"` // of the source; "" where it was not built from a checkout
	Go           string `json:"go"`
	OS           string `json:"os"`
	Arch         string `json:"arch"`
	LeaseVersion []int  `json:"leaseVersions"` // schemaVersions that it reads; the last is the one that it writes
	Runs         bool   `json:"runs"`          // whether run works on this system
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Tell version and abilities", Args: cobra.NoArgs,
		RunE: a.does(func([]string) error {
			v := versionOf()
			if a.output == outputJSON {
				return a.printJSON(v)
			}
			return a.print(fmt.Sprintf("%s %s (%s, %s/%s, source %s)\n", program, v.Version, v.Go, v.OS, v.Arch, dash(v.Revision)))
		}),
	}
}

func versionOf() versionInfo {
	v := versionInfo{
		Schema: "containlease/version-v1", Version: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		LeaseVersion: []int{1, 2}, Runs: host.Supported() == nil,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = choose(info.Main.Version == "", "unknown", info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

// gateCommand serves as the gate of programs that cannot call host.GateMain; they name this program with host.WithGate.
func (a *app) gateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "gate FD", Short: "Serve as the gate of another program", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: a.does(func(args []string) error {
			fd, err := strconv.Atoi(args[0])
			if err != nil || fd < 3 {
				return usagef("gate wants the number of its control socket, not %q", args[0])
			}
			return host.ServeGate(fd)
		}),
	}
}

// toolVersion is the version as the evidence of a lease takes it.
func toolVersion() string {
	legal := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._+()-", r) {
			return r
		}
		return -1
	}
	v := strings.Map(legal, versionOf().Version)
	return v[:min(len(v), 64)]
}
