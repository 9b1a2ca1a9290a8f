//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	procs "containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// next is what a verdict recommends, and what becomes of it.
type next struct {
	set     func(*scene) // makes the verdict
	proof   func(*scene) // supplies what is missing; nil where the command needs nothing more
	command string       // it begins with this
	becomes string       // the rule by which it is judged afterwards; "" where it is gone
}

func nothing(*scene) {}

var nexts = map[string]next{
	"lock-held-owner-dead": {(*scene).hold, nil, "show", "lock-held-owner-dead"},
	"lock-held":            {func(s *scene) { s.hold(); s.status[sceneOwner] = procs.Live }, nil, "show", "lock-held"},
	"lock-unknown": {func(s *scene) { s.l.Containment.Status = leasefile.ContainmentStatusCleanupComplete; s.mode(0o644) },
		func(s *scene) { s.mode(0o600) }, "doctor --apply", ""},
	"other-machine": {func(s *scene) {
		s.write("machine.json", string((&leasefile.HomeV1{MachineID: s.l.RunID, HostSHA256: sceneBoot}).AppendCanonical(nil)))
	}, nil, "adopt", "no-proof"},
	"boot-unreliable": {func(s *scene) { s.l.Containment.Status = leasefile.ContainmentStatusCleanupComplete; s.forged = true },
		func(s *scene) { s.forged = false }, "doctor --apply", ""},
	"another-boot": {func(s *scene) {
		s.l.Owner.BootID = s.l.Owner.ProcessStartID
		s.l.Containment.Host.BootID = s.l.Owner.BootID
	}, nil, "doctor --apply", ""},
	"other-namespace": {func(s *scene) { other := int64(9); s.ev.PIDNamespace = &other }, nil, "retire", ""},
	"namespace-gone": {func(s *scene) {
		other, id := int64(9), int64(sceneEnded)
		s.ev.PIDNamespace, s.ev.PIDNamespaceID = &other, &id
	}, nil, "doctor --apply", ""},
	"owner-alive": {func(s *scene) { s.lockless(); s.status[sceneOwner] = procs.Live }, nil, "show", "owner-alive"},
	"no-evidence": {func(s *scene) { s.lockless(); s.l.Containment.Status = leasefile.ContainmentStatusHostStarting },
		nil, "doctor --single-pid-namespace --apply", ""},
	"abandoned": {func(s *scene) {
		s.status[sceneOwner], s.status[sceneHost] = procs.Live, procs.Live
		s.l.Containment.Status = leasefile.ContainmentStatusHostStarting
	}, func(s *scene) { clear(s.status) }, "doctor --apply", ""},
	"owner-unknown": {func(s *scene) {
		s.l.Containment.Status, s.status[sceneOwner] = leasefile.ContainmentStatusHostStarting, procs.Unknown
	}, func(s *scene) { clear(s.status) }, "doctor --apply", ""},
	"host-unknown": {func(s *scene) {
		s.l.Containment.Status, s.status[sceneHost] = leasefile.ContainmentStatusHostStarting, procs.Unknown
	}, func(s *scene) { clear(s.status) }, "doctor --apply", ""},
	"orphan": {func(s *scene) { s.status[sceneHost] = procs.Live }, (*scene).allEnd, "stop {lease}", ""},
	"unsafe-lock-held": {func(s *scene) {
		s.hold()
		s.l.Containment.Status, s.status[sceneOwner] = leasefile.ContainmentStatusCleanupUnsafe, procs.Live
	}, (*scene).allEnd, "doctor --apply", ""},
	"unsafe-owner-alive": {func(s *scene) {
		s.lockless()
		s.l.Containment.Status, s.status[sceneOwner] = leasefile.ContainmentStatusCleanupUnsafe, procs.Live
	}, func(s *scene) { s.allEnd(); s.save() }, "doctor --apply", ""},
	"legacy": {func(s *scene) {
		v1 := leasefile.LeaseV1{AcquiredAt: s.l.AcquiredAt, Identity: s.l.Identity, LeaseID: s.l.LeaseID, Owner: s.l.Owner, RunID: s.l.RunID}
		s.save()
		s.write("leases/"+s.l.LeaseID+".json", string(v1.AppendCanonical(nil)))
	}, nil, "retire", ""},
	"complete":          {func(s *scene) { s.l.Containment.Status = leasefile.ContainmentStatusCleanupComplete }, nil, "doctor --apply", ""},
	"gate-never-opened": {func(s *scene) { s.l.Containment.Status = leasefile.ContainmentStatusHostStarting }, nil, "doctor --apply", ""},
	"never-started": {func(s *scene) {
		s.l.Containment = leasefile.Containment{Status: leasefile.ContainmentStatusParentOwned}
		s.ev.Boundary.Kind = leasefile.BoundaryKindNone
	}, nil, "doctor --apply", ""},
	"boundary-empty": {(*scene).allEnd, nil, "doctor --apply", ""},
	"mark-seen": {func(s *scene) { s.allEnd(); s.marks = map[int64]string{77: "other:" + s.l.LeaseID} },
		func(s *scene) { s.marks = nil }, "stop {lease}", ""},
	"no-proof":      {nothing, nil, "retire", ""},
	"malformed":     {func(s *scene) { s.save(); s.write("leases/"+s.l.LeaseID+".json", "") }, nil, "quarantine", ""},
	"newer-version": {func(s *scene) { s.newer() }, nil, "show", "newer-version"},
}

func (s *scene) newer() {
	s.save()
	s.write("leases/"+s.l.LeaseID+".json", `{"identity":{"pluginId":"acme"},"leaseId":"`+s.l.LeaseID+`","schemaVersion":3}`)
}

// inRealGroups are the rungs of control groups: tests of lease/host type their commands with real ones.
var inRealGroups = []string{"occupied", "somebody-unseen"}

// TestNextCommands types exactly what every verdict recommends, as a shell takes it, and looks whether it does what was said:
// it clears, or it shows; and before the missing proof is there it clears nothing.
func TestNextCommands(t *testing.T) {
	for _, r := range verdict.Ladder {
		if !slices.Contains(inRealGroups, r.Name) {
			require.Contains(t, nexts, r.Name, "a rung whose next command nobody runs")
		}
	}
	for rule, n := range nexts {
		t.Run(rule, func(t *testing.T) {
			s := newScene(t)
			if n.set(s); s.verdictFile() == "" {
				s.save()
			}
			defer func() { s.free() }()
			found := s.verdict()
			require.Equal(t, rule, found.Verdict.Rule)
			s.explained(found)
			argv := words(t, found.Verdict.Next)
			require.Equal(t, []string{"--home", s.dir}, argv[:2])
			command := strings.ReplaceAll(n.command, "{lease}", s.l.LeaseID)
			require.True(t, strings.HasPrefix(strings.Join(argv[2:], " "), command), "%v", argv)
			if n.proof != nil {
				early, want := argv, exitFindings
				if strings.HasPrefix(n.command, "stop") { // nothing is going to end
					early, want = append(slices.Clone(argv), "--grace", "0s", "--timeout", "1ms"), exitBlocked
				}
				code, stdout, _ := s.call(early...)
				require.Equal(t, want, code, "the proof is missing: %s", stdout)
				require.NotNil(t, s.verdict())
				n.proof(s)
			}
			if i := slices.Index(argv, "…"); i >= 0 {
				code, _, stderr := s.call(argv...)
				require.Equal(t, exitUsage, code, "nobody vouches by copying")
				require.Contains(t, stderr, "own words")
				require.Equal(t, rule, s.verdict().Verdict.Rule)
				require.NoFileExists(t, filepath.Join(s.dir, lease.AuditLog))
				argv[i] = "the test has looked"
			}
			code, stdout, stderr := s.call(argv...)
			require.Equal(t, exitOK, code, "%s%s", stdout, stderr)
			require.NotEmpty(t, stdout)
			after := s.verdict()
			if n.becomes == "" {
				require.Nil(t, after)
				return
			}
			require.NotNil(t, after)
			require.Equal(t, n.becomes, after.Verdict.Rule)
		})
	}
}

// verdictFile is the record as set left it; "" where it is still to be written.
func (s *scene) verdictFile() string {
	b, err := os.ReadFile(filepath.Join(s.dir, "leases", s.l.LeaseID+".json"))
	if err == nil && len(b) == 0 {
		return "empty"
	}
	return string(b)
}

// explained: what doctor and show print names lease, plugin, state, facts, missing proof and next command.
func (s *scene) explained(i *item) {
	_, text, _ := s.call("--home", s.dir, "show", i.LeaseID)
	for _, want := range []string{i.LeaseID, i.PluginID, stateWord(*i), i.Verdict.Rule, i.Verdict.Next} {
		require.Contains(s.t, text, want)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, missing := range i.Verdict.Missing {
		require.Contains(s.t, flat, missing)
	}
	for name, fact := range i.Verdict.Facts {
		require.Contains(s.t, flat, name+" "+fact)
	}
	if o := verdict.Outcome(i.Verdict.Outcome); o != verdict.Active && o != verdict.Gone {
		require.NotEmpty(s.t, i.Verdict.Missing)
	}
	require.NotEqual(s.t, fsm.StateAbsent, i.State)
}
