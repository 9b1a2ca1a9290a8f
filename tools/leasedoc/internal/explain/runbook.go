package explain

import "containlease/lease/verdict"

// Actions say what an operator does about a finding, by the rung's name. Meaning, missing proof and command are the rung's own.
var Actions = map[string]string{
	"lock-held-owner-dead": "Look again in a moment: a doctor may be at work. If it stays, find out who holds the lock file (`lsof` on owners/<lease>.lock) and end that process.",
	"lock-held":            "Nothing, while it is at work; acquire admits others beside it unless one of the two asked to be alone.",
	"unsafe-lock-held":     "Wait for the owner's end, or end it in the way that it is meant to be ended; then let the doctor judge what it leaves. containlease ends no owner.",
	"lock-unknown":         "Run the command as the user that owns the home, or put the rights of the lock file right.",
	"other-machine":        "Use the home where it was made, and start with an empty directory here. If the home was moved here for good, `adopt` takes it over.",
	"boot-unreliable":      "Run where /proc is the kernel's own, not mounted over, and of this PID namespace.",
	"another-boot":         "Run doctor with --apply. The next acquire that recovers first does the same.",
	"other-namespace":      "Ask again from inside the owner's container or namespace. After its end, where the kernel gives ids to namespaces (Linux 6.18), and after a reboot of the machine the doctor clears it from anywhere.",
	"owner-alive":          "Nothing. Another program's owner is at work.",
	"unsafe-owner-alive":   "Wait for the owner's end: it is another program's, and containlease ends none. What it leaves is then judged as another program's lease.",
	"no-evidence":          "If every user of the home shares one PID namespace, say so with --single-pid-namespace. If you are not sure, do not: wrong, it takes the living for dead.",
	"abandoned":            "Leave the owner's process alone: it is another program now, and its end proves nothing. Run doctor with --apply: it clears the lease as soon as the rest is proved gone.",
	"owner-unknown":        "Run doctor as a user that may see the owner's process (hidepid and other users hide it).",
	"host-unknown":         "Run doctor as a user that may see the host's process (hidepid and other users hide it).",
	"orphan":               "The gate is stopping what is left: wait for the grace, or `stop`. Do not send KILL to the host of a subreaper or a process group: a killed gate leaves no proof.",
	"legacy":               "Wait for the next reboot; a v1 lease has no other proof. If you know that it is over, `retire` takes your word.",
	"complete":             "Run doctor with --apply. Acquire is not blocked by it.",
	"gate-never-opened":    "Run doctor with --apply.",
	"never-started":        "Run doctor with --apply.",
	"namespace-gone":       "Run doctor with --apply.",
	"occupied":             "`stop` ends what is left, and clears the lease: the kernel then says that the group is empty.",
	"somebody-unseen":      "Run doctor as a user that may look at every process. As root `list` then says whether one of them is of the invocation; else `retire` takes your word.",
	"boundary-empty":       "Run doctor with --apply.",
	"mark-seen":            "`stop` ends that process, and clears the lease if the boundary then proves the end. If the process only has a copy of the environment (an editor or a terminal multiplexer that was called by the plugin, say), `retire` with `--despite-pid` takes your word.",
	"no-proof":             "Nobody is seen, and nobody can prove any more what was started. Look for processes that the plugin left behind (they may have changed their environment); the next reboot clears the lease, or `retire` takes your word.",
	"malformed":            "Find out who wrote the file. containlease never removes it; `quarantine` moves it out of leases/ and keeps it.",
	"newer-version":        "Use the containlease that wrote it, or a newer one. Other plugins are not affected.",
}

// Outcomes explained, by verdict.
var Verdicts = map[verdict.Outcome]string{
	verdict.Active:    "its owner is at work",
	verdict.Gone:      "every process of it is proved gone",
	verdict.Abandoned: "its owner lives, but no longer looks after it",
	verdict.Orphan:    "its owner is dead and something of it lives",
	verdict.Uncertain: "neither life nor death is proved",
	verdict.Malformed: "not a lease",
	verdict.Newer:     "a lease of a version that this program does not know",
}

// Blocks explains why a plugin may not start.
var Blocks = map[verdict.Block]string{
	verdict.Admitted:            "the plugin may start beside it",
	verdict.BlockedMalformed:    "a record that nobody can read blocks every plugin",
	verdict.BlockedUnsafe:       "its owner could not prove the end, and said so",
	verdict.BlockedUnverifiable: "it is neither at work nor complete and gone",
	verdict.BlockedNewer:        "its version is not known here",
	verdict.BlockedExclusive:    "one of the two asked to be alone",
}
