package explain

// Platform is one operating system: what can be proved there, and the files that show it.
type Platform struct {
	GOOS     string
	Identity string
	Home     string
	End      string
	Tested   string
	Ran      string // on which machines anything of it ever ran
}

const onlyCompiled = "compiled and vetted, the tests too"

// Pure are the packages that have no file for one system only: what their tests show on Linux holds on all.
var Pure = []string{"schema", "gen/wire", "gen/leasefile", "fsm", "lease/verdict", "persist"}

// Platforms are those that every check compiles for. The tests hold them against the files that build there.
var Platforms = []Platform{
	{"linux", "number, boot and start tick; on Linux 6.9 the pidfs inode too", "yes, with open-file-description locks", "control group or child subreaper; PID namespace by request", "all tests, with the race detector", "x86-64, Linux 6.18"},
	{"darwin", "not established; only another boot is told", "yes, with flock", "not offered", onlyCompiled, "never run"},
	{"freebsd", "not established", "yes, with flock", "not offered", onlyCompiled, "never run"},
	{"windows", "not established", "refused: private files cannot be proved", "not offered", onlyCompiled, "never run"},
}

// Boundary is one way to enclose an invocation.
type Boundary struct {
	Proof, Limits string
	Built         bool
}

// Cuts says in words what is known of power cuts on a file system, by file.Cuts.
var Cuts = map[string]string{
	"tried":     "tried: nothing acknowledged was lost",
	"untried":   "never tried: unproved",
	"in-memory": "it ends with the power, as processes do",
}
