package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"containlease/lease/host"
	"containlease/persist/file"

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
	Home         ground `json:"home"`
}

// ground is what the home lies on, or would.
type ground struct {
	Dir        string `json:"dir"`        // "" where none is named and there is no standard place
	Filesystem string `json:"filesystem"` // "" where it cannot be told
	Known      bool   `json:"known"`      // locks and syncs are known to work there
	PowerCuts  string `json:"powerCuts" jsonschema:"enum=tried,enum=untried,enum=in-memory"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Tell version and abilities", Args: cobra.NoArgs,
		RunE: a.does(func([]string) error {
			v := versionOf()
			v.Home = a.ground()
			if a.output == outputJSON {
				return a.printJSON(v)
			}
			head := fmt.Sprintf("%s %s (%s, %s/%s, source %s)\n", program, v.Version, v.Go, v.OS, v.Arch, dash(v.Revision))
			return a.print(head + pairs("home", v.Home.words()))
		}),
	}
}

// ground looks where the home is. That it cannot be told is an answer, and no error.
func (a *app) ground() ground {
	dir, err := a.homeDir()
	if err != nil {
		return ground{PowerCuts: string(file.CutsUntried)}
	}
	g, err := file.GroundOf(dir, a.homeOptions()...)
	if err != nil {
		g = file.Ground{PowerCuts: file.CutsUntried}
	}
	return ground{Dir: dir, Filesystem: g.Filesystem, Known: g.Known, PowerCuts: string(g.PowerCuts)}
}

func (g ground) words() string {
	where := fmt.Sprintf("%s, on %s: ", g.Dir, choose(g.Filesystem == "", "a file system that cannot be told", g.Filesystem))
	switch {
	case g.Dir == "":
		return "no place for one: give --home"
	case !g.Known:
		return where + "not known to keep locks and synced writes, and refused"
	case g.PowerCuts == string(file.CutsTried):
		return where + "the power was cut there in trials, and nothing acknowledged was lost"
	case g.PowerCuts == string(file.CutsTakeAll):
		return where + "in memory, so it ends with the power, as processes do"
	}
	return where + "that a write outlasts a power cut is unproved, none was tried there"
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
