package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"containlease/lease"
	"containlease/lease/host"
)

// status is what --status-file tells of a run.
type status struct {
	Schema   string       `json:"schema"`
	Result   string       `json:"result" jsonschema:"enum=exited,enum=signaled,enum=failed"` // "exited" or "signaled": the plugin's end; "failed": a failure that is not the plugin's
	ExitCode int          `json:"exitCode"`                                                  // what run itself exits with
	Plugin   pluginStatus `json:"plugin"`
	Lease    *leaseStatus `json:"lease" jsonschema:"nullable"` // null where none was acquired
	Boundary boundary     `json:"boundary"`
	Failure  *failure     `json:"failure" jsonschema:"nullable"`   // what went wrong, also beside a plugin's end; else null
	Blocking *item        `json:"blockedBy" jsonschema:"nullable"` // the lease that kept the plugin from starting, as list gives it; else null
}

type pluginStatus struct {
	Started bool `json:"started"`                      // some of its code may have run
	Status  *int `json:"status" jsonschema:"nullable"` // 0-255 or 128+n; null where it did not start
}

type leaseStatus struct {
	LeaseID  string `json:"leaseId"`
	PluginID string `json:"pluginId"`
	RunID    string `json:"runId"`
	State    string `json:"state"`  // "released", or how the lease was left
	Digest   string `json:"digest"` // of its last bytes
}

type boundary struct {
	Asked string `json:"asked"`
	Used  string `json:"used"` // "" where nothing was started
	Why   string `json:"why"`  // why that one; "" where it was not settled
}

type failure struct {
	Code    int    `json:"code"` // the exit code that it has by itself
	Name    string `json:"name"`
	Message string `json:"message"`
}

func newStatus(f runFlags) *status {
	return &status{Schema: "containlease/status-v1", Boundary: boundary{Asked: f.boundary}}
}

// ended notes how lease and plugin ended.
func (s *status) ended(h *lease.Handle, r host.Result) {
	snap := h.Snapshot()
	s.Lease = &leaseStatus{
		LeaseID: h.ID(), PluginID: snap.Lease.Identity.PluginID, RunID: snap.Lease.RunID,
		State: string(snap.State), Digest: snap.Digest.String(),
	}
	s.Boundary.Used = r.Boundary
	if s.Plugin.Started = r.Started; r.Started {
		s.Plugin.Status = &r.Code
		s.Result = choose(r.Signaled, "signaled", "exited")
	}
}

// finish decides the exit code: a plugin's status that is not 0 wins over whatever else went wrong.
func (s *status) finish(a *app, err error, f runFlags) int {
	if err != nil {
		code := codeOf(err)
		s.Failure = &failure{Code: code, Name: nameOf(code), Message: err.Error()}
		s.ExitCode = f.failure(code)
	}
	if s.Plugin.Status != nil && *s.Plugin.Status != 0 {
		s.ExitCode = *s.Plugin.Status
	} else if err != nil {
		s.Result = "failed"
	}
	var blocked *lease.BlockedError
	if errors.As(err, &blocked) {
		it := a.itemOf(blocked.Lease)
		s.Blocking = &it
	}
	return s.ExitCode
}

// write puts the status in place in one step, so that nobody reads half of it. What is there and no regular file (a
// FIFO, /dev/fd/3) is written to.
func (s *status) write(path string) (err error) {
	if path == "" {
		return nil
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if info, serr := os.Lstat(path); serr == nil && !info.Mode().IsRegular() {
		err = writeTo(path, append(b, '\n'))
	} else {
		err = replaceFile(path, append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the status file was not written: %w", err)
	}
	return nil
}

// writeTo writes to what is there, without waiting for the reader of a FIFO: there may never be one.
func writeTo(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("nobody reads from it: %w", err)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
