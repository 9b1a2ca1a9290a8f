//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	procs "containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// scene is a home with one record, and a system that says of processes what the test tells it.
type scene struct {
	t      *testing.T
	dir    string
	status map[int64]procs.Status // of this boot; the others are dead
	forged bool                   // the boot id cannot be trusted
	l      leasefile.LeaseV2
	ev     *leasefile.EvidenceV1
	letGo  func() // of the liveness lock, where somebody holds it
}

const (
	sceneOwner = 300
	sceneHost  = 400
)

var sceneBoot = strings.Repeat("b0", 32)

func (s *scene) Self() (procs.Process, error) { return procs.Process{}, procs.ErrNoIdentity }
func (s *scene) Lookup(int64) (procs.Process, error) {
	return procs.Process{}, procs.ErrNotFound
}
func (*scene) Carriers(string) map[int64]string { return nil }
func (s *scene) Namespaces() (procs.Namespaces, error) {
	return procs.Namespaces{PID: 1, Time: 2}, nil
}
func (s *scene) Boot() (string, error) {
	if s.forged {
		return "", procs.ErrNoIdentity
	}
	return sceneBoot, nil
}
func (s *scene) Status(id procs.Identity, _ uint64) (procs.Status, string) {
	if st, known := s.status[id.PID]; known {
		return st, "as the test says"
	}
	return procs.Dead, "as the test says"
}

// newScene is a lease of a dead owner and a dead host, host-active in a subreaper that left no note.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, dir: filepath.Join(t.TempDir(), "home"), status: map[int64]procs.Status{}}
	home, err := file.Create(s.dir, file.AllowAnyFilesystem())
	require.NoError(t, err)
	reg, err := lease.New(home.Store(), home, lease.WithInspector(s)) // it makes the record of the machine
	require.NoError(t, err)
	require.NoError(t, reg.Close())
	s.l = *sample("3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53")
	s.l.Owner.PID, s.l.Owner.BootID = sceneOwner, sceneBoot
	s.l.Containment = leasefile.Containment{Status: leasefile.ContainmentStatusHostActive,
		Host: &leasefile.Host{PID: sceneHost, BootID: sceneBoot, ProcessStartID: s.l.Owner.ProcessStartID}}
	one, two := int64(1), int64(2)
	s.ev = &leasefile.EvidenceV1{LeaseID: s.l.LeaseID, Token: s.l.Owner.Token, Tool: "test", Version: "1", PIDNamespace: &one,
		TimeNamespace: &two, Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}}
	s.write("owners/"+s.l.LeaseID+".lock", "")
	return s
}

func (s *scene) write(name, content string) {
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600))
}

// save writes the lease and its evidence.
func (s *scene) save() {
	if s.ev != nil {
		s.write("owners/"+s.l.LeaseID+".json", string(s.ev.AppendCanonical(nil)))
	}
	s.write("leases/"+s.l.LeaseID+".json", string(s.l.AppendCanonical(nil)))
}

func (s *scene) lockless() {
	require.NoError(s.t, os.Remove(filepath.Join(s.dir, "owners", s.l.LeaseID+".lock")))
	s.ev = nil
}

func (s *scene) hold() {
	home, err := file.Open(s.dir)
	require.NoError(s.t, err)
	lock, err := home.Seize(s.l.LeaseID)
	require.NoError(s.t, err)
	s.letGo = func() { require.NoError(s.t, lock.Close()); require.NoError(s.t, home.Close()) }
}

func (s *scene) mode(m os.FileMode) {
	require.NoError(s.t, os.Chmod(filepath.Join(s.dir, "owners", s.l.LeaseID+".lock"), m))
}

// call runs the program in this scene.
func (s *scene) call(args ...string) (code int, stdout, stderr string) {
	var out, problem bytes.Buffer
	a := &app{stdout: &out, stderr: &problem, extra: []lease.Option{lease.WithInspector(s), lease.WithHome(file.AllowAnyFilesystem())}}
	return a.do(args), out.String(), problem.String()
}

// verdict is what list says of the only record; nil where there is none.
func (s *scene) verdict() *item {
	code, stdout, stderr := s.call("--home", s.dir, "list", "--output", "json")
	require.Zero(s.t, code, stderr)
	var l listing
	require.NoError(s.t, json.Unmarshal([]byte(stdout), &l))
	if len(l.Leases) == 0 {
		return nil
	}
	require.Len(s.t, l.Leases, 1)
	return &l.Leases[0]
}

// words splits a command as a shell does, without the program's name.
func words(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", program+`() { printf '%s\0' "$@"; }; `+command).Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

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
	"owner-alive":     {func(s *scene) { s.lockless(); s.status[sceneOwner] = procs.Live }, nil, "show", "owner-alive"},
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
	"orphan": {func(s *scene) { s.status[sceneHost] = procs.Live }, func(s *scene) {
		clear(s.status)
		note := leasefile.EmptyV1{LeaseID: s.l.LeaseID, Token: s.l.Owner.Token, Gate: *s.l.Containment.Host}
		s.write("owners/"+s.l.LeaseID+".empty", string(note.AppendCanonical(nil)))
	}, "doctor --apply", ""},
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
	"boundary-empty": {func(s *scene) {
		note := leasefile.EmptyV1{LeaseID: s.l.LeaseID, Token: s.l.Owner.Token, Gate: *s.l.Containment.Host}
		s.write("owners/"+s.l.LeaseID+".empty", string(note.AppendCanonical(nil)))
	}, nil, "doctor --apply", ""},
	"no-proof":      {nothing, nil, "retire", ""},
	"malformed":     {func(s *scene) { s.save(); s.write("leases/"+s.l.LeaseID+".json", "") }, nil, "quarantine", ""},
	"newer-version": {func(s *scene) { s.newer() }, nil, "show", "newer-version"},
}

func (s *scene) newer() {
	s.save()
	s.write("leases/"+s.l.LeaseID+".json", `{"identity":{"pluginId":"acme"},"leaseId":"`+s.l.LeaseID+`","schemaVersion":3}`)
}

// TestNextCommands types exactly what every verdict recommends, as a shell takes it, and looks whether it does what was said:
// it clears, or it shows; and before the missing proof is there it clears nothing.
func TestNextCommands(t *testing.T) {
	for _, r := range verdict.Ladder {
		require.Contains(t, nexts, r.Name, "a rung whose next command nobody runs")
	}
	for rule, n := range nexts {
		t.Run(rule, func(t *testing.T) {
			s := newScene(t)
			if n.set(s); s.verdictFile() == "" {
				s.save()
			}
			if s.letGo != nil {
				defer s.letGo()
			}
			found := s.verdict()
			require.Equal(t, rule, found.Verdict.Rule)
			s.explained(found)
			argv := words(t, found.Verdict.Next)
			require.Equal(t, []string{"--home", s.dir}, argv[:2])
			require.True(t, strings.HasPrefix(strings.Join(argv[2:], " "), n.command), "%v", argv)
			if n.proof != nil {
				code, stdout, _ := s.call(argv...)
				require.Equal(t, exitFindings, code, "the proof is missing: %s", stdout)
				require.NotNil(t, s.verdict())
				n.proof(s)
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
