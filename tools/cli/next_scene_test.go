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

	"containlease/gen/leasefile"
	"containlease/lease"
	procs "containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// scene is a home with one record, and a system that says of processes what the test tells it.
type scene struct {
	t      *testing.T
	dir    string
	status map[int64]procs.Status // of this boot; the others are dead
	forged bool                   // the boot id cannot be trusted
	marks  map[int64]string       // who has leases in its environment
	unseen int                    // processes that may not be looked at
	l      leasefile.LeaseV2
	ev     *leasefile.EvidenceV2 // nil where there is none
	// evidence is what an owner of ours leaves
	evidence leasefile.EvidenceV2
	letGo    func() // of the liveness lock, where somebody holds it
}

const (
	sceneOwner = 300
	sceneHost  = 400
	sceneEnded = 4000 // the id of a PID namespace that is no more
)

var sceneBoot = strings.Repeat("b0", 32)

func (s *scene) Self() (procs.Process, error) { return procs.Process{}, procs.ErrNoIdentity }
func (s *scene) Lookup(int64) (procs.Process, error) {
	return procs.Process{}, procs.ErrNotFound
}
func (s *scene) Look(string) (c procs.Census) {
	for pid := range s.unseen {
		c.Unseen = append(c.Unseen, procs.Unseen{PID: int64(pid + 1)})
	}
	for pid, value := range s.marks {
		c.Carriers = append(c.Carriers, procs.Carrier{Process: procs.Process{Identity: procs.Identity{PID: pid}}, Value: value})
	}
	return c
}
func (*scene) Clock() uint64                                     { return 0 }
func (*scene) Hold(procs.Identity, uint64) (*procs.Pidfd, error) { return nil, procs.ErrNotFound }
func (*scene) NamespaceEnded(id, _ uint64) bool                  { return id == sceneEnded }
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
	s.evidence = leasefile.EvidenceV2{LeaseID: s.l.LeaseID, Token: s.l.Owner.Token, Tool: "test", Version: "1", PIDNamespace: &one,
		TimeNamespace: &two, Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}}
	s.ev = &s.evidence
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

// free lets go of the liveness lock, if anybody holds it.
func (s *scene) free() {
	if s.letGo != nil {
		s.letGo()
		s.letGo = nil
	}
}

// allEnd ends everybody; the gate leaves its note, as evidence that there was one.
func (s *scene) allEnd() {
	s.free()
	clear(s.status)
	s.ev = &s.evidence
	note := leasefile.EmptyV1{LeaseID: s.l.LeaseID, Token: s.l.Owner.Token, Gate: *s.l.Containment.Host}
	s.write("owners/"+s.l.LeaseID+".empty", string(note.AppendCanonical(nil)))
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
