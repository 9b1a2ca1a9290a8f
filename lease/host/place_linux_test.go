package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/cgroup"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// views are places from which a control group is looked at: what is mounted there, and what can be said.
var views = map[string]struct {
	script string
	flags  []string
	sees   bool
	life   bool // who is in the group is seen, though not that nobody is
	fact   string
}{
	"another mount namespace, same mounts": {script: `:`, flags: []string{"--mount"}, sees: true},
	"another cgroup namespace":             {script: `:`, flags: []string{"--mount", "--cgroup"}, life: true, fact: "another cgroup namespace"},
	"another PID namespace":                {script: `:`, flags: []string{"--mount", "--pid", "--fork", "--mount-proc"}, fact: "other-namespace"},
	"the hierarchy unmounted":              {script: `umount -l "$(dirname "$arg")"`, flags: []string{"--mount"}, fact: "not of the unified hierarchy"},
	"the hierarchy over-mounted":           {script: `mount -t tmpfs none "$(dirname "$arg")"`, flags: []string{"--mount"}, fact: "not of the unified hierarchy"},
	"an empty group over it":               {script: `mkdir -p "$arg-other"; mount --bind "$arg-other" "$arg"; rmdir "$arg-other"`, flags: []string{"--mount"}, fact: "cross-device"},
	"a directory over it":                  {script: `mount -t tmpfs none "$arg"`, flags: []string{"--mount"}, fact: "cross-device"},
	"forged events over its own": {script: `echo populated 0 >"$HOST_TEST_HOME/forged"; mount --bind "$HOST_TEST_HOME/forged" "$arg/cgroup.events"; rm "$HOST_TEST_HOME/forged"`,
		flags: []string{"--mount"}, fact: "cross-device"},
	"another group in its parent's place": {script: `up=$(dirname "$arg"); mkdir -p "$up/containlease-other"; mount --bind "$up/containlease-other" "$up"`,
		flags: []string{"--mount"}, fact: "is not the directory that it was"},
}

func TestAControlGroupIsJudgedOnlyWhereItIsCertainWhichOneItIs(t *testing.T) {
	needsRoot(t)
	vacant := startCrash(t, "cgroup-v2", stubborn)
	letGo := hold(t, vacant)
	vacant.killOwner()
	require.NoError(t, vacant.gate.Wait(t.Context()))
	require.Equal(t, verdict.Gone, vacant.find().Verdict.Outcome)
	populated := startCrash(t, "cgroup-v2", stubborn)
	populated.killBoth()
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			for _, c := range []*crash{vacant, populated} {
				look := as("doctor", "HOST_TEST_HOME="+c.reg.Dir())
				got := output(t, within(look, view.script, c.boundary().Path, view.flags...))
				if c == vacant && view.sees {
					require.Regexp(t, "^gone boundary-empty", got)
					continue
				}
				if c == populated && (view.sees || view.life) {
					require.Regexp(t, "^orphan occupied .* removed false ", got)
					continue
				}
				require.Regexp(t, "^(unknown (no-proof|other-namespace|mark-seen)|orphan occupied) .* removed false ", got)
				if !view.sees {
					require.Contains(t, got, view.fact)
				}
			}
		})
	}
	letGo()
	_ = os.Remove(filepath.Join(filepath.Dir(vacant.boundary().Path), "containlease-other"))
	vacant.requireCleared()
	populated.endGroup()
	populated.requireCleared()
}

func TestAnotherGroupInItsPlace(t *testing.T) {
	needsRoot(t)
	group := newGroup(t)
	c := startCrash(t, "cgroup-v2", stubborn, "HOST_TEST_ROLE=owner-elsewhere", "HOST_TEST_GROUP="+group)
	defer hold(t, c)()
	b := c.boundary()
	require.Equal(t, group, filepath.Dir(b.Path))
	c.killOwner()
	require.NoError(t, c.gate.Wait(t.Context()))
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome)

	require.NoError(t, os.Remove(b.Path))
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome, "a group that is removed had nobody in it")
	// The unit that the owner ran in is killed as a whole, and made anew: below what is the same still, it is gone.
	require.NoError(t, os.Remove(group))
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome)
	require.NoError(t, os.Mkdir(group, 0o755))
	require.NoError(t, os.Mkdir(b.Path, 0o755))
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome)
	c.repair()
	empty(t, c.reg)
	require.DirExists(t, b.Path, "it is another one")
	require.NoError(t, os.Remove(b.Path))
}

// A record of an older version has no chain: what the absence of its parent means cannot be told.
func TestARecordWithoutAChainIsJudgedByItsParent(t *testing.T) {
	needsRoot(t)
	group := newGroup(t)
	c := startCrash(t, "cgroup-v2", stubborn, "HOST_TEST_ROLE=owner-elsewhere", "HOST_TEST_GROUP="+group)
	defer hold(t, c)()
	c.killOwner()
	require.NoError(t, c.gate.Wait(t.Context()))
	forgetChain(t, c.reg.Dir())
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome)
	require.NoError(t, os.Remove(c.boundary().Path))
	require.Equal(t, verdict.Gone, c.find().Verdict.Outcome, "a group that is removed had nobody in it")
	require.NoError(t, os.Remove(group))
	c.requireKept(verdict.Uncertain, "no-proof")
	require.NoError(t, os.Mkdir(group, 0o755))
	c.requireKept(verdict.Uncertain, "no-proof")
}

// hold keeps the group of a crash where it is: with its owner and its gate gone, it is litter to whoever runs here next.
func hold(t *testing.T, c *crash) (letGo func()) {
	t.Helper()
	g, err := cgroup.Open(lease.PlaceOf(c.boundary()))
	require.NoError(t, err)
	require.NoError(t, g.Hold())
	return func() { require.NoError(t, g.Close()) }
}

// forgetChain makes the evidence of the only lease that of an older version.
func forgetChain(t *testing.T, home string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "owners", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	e, err := leasefile.DecodeEvidenceV2File(text)
	require.NoError(t, err)
	require.NotNil(t, e.BoundaryChain)
	old := leasefile.EvidenceV1{LeaseID: e.LeaseID, Token: e.Token, Tool: e.Tool, Version: e.Version, Boundary: e.Boundary,
		PIDNamespace: e.PIDNamespace, TimeNamespace: e.TimeNamespace, CgroupNamespace: e.CgroupNamespace}
	require.NoError(t, os.WriteFile(files[0], old.AppendCanonical(nil), 0o600))
}

func TestTheDoctorLeavesAnotherGroupAlone(t *testing.T) {
	c := startCrash(t, "cgroup-v2", stubborn)
	defer hold(t, c)()
	c.killOwner()
	require.NoError(t, c.gate.Wait(t.Context()))
	path := c.boundary().Path
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	defer os.Remove(path)
	i := c.find()
	require.Equal(t, "boundary-empty", i.Verdict.Rule)
	require.Contains(t, i.Words[2], "removed")
	c.repair()
	empty(t, c.reg)
	require.DirExists(t, path)
}
