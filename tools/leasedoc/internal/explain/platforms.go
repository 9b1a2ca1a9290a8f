package explain

// Platform is one operating system: what can be proved there, and the files that show it.
type Platform struct {
	GOOS     string
	Identity string
	Home     string
	End      string
	Tested   string
}

// Platforms are those that every check compiles for. The tests hold them against the files that build there.
var Platforms = []Platform{
	{"linux", "number, boot and start tick; on Linux 6.9 the pidfs inode too", "yes, with open-file-description locks", "control group or child subreaper; PID namespace by request", "all tests, with the race detector"},
	{"darwin", "not established; only another boot is told", "yes, with flock", "not offered", "compiled and vetted"},
	{"freebsd", "not established", "yes, with flock", "not offered", "compiled and vetted"},
	{"windows", "not established", "refused: private files cannot be proved", "not offered", "compiled and vetted"},
}

// Boundary is one way to enclose an invocation.
type Boundary struct {
	Proof, Limits string
	Built         bool
}
