package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"containlease/lease/process"
)

// ordinaryLife shows a lease from acquire to release.
func (d *demo) ordinaryLife() error {
	say("\n1. An ordinary life: the plugin runs under a lease.\n")
	i, err := d.start()
	if err != nil {
		return err
	}
	defer i.end()
	lease, err := i.ready()
	if err != nil {
		return err
	}
	err = i.cmd.Wait()
	i.silence()
	if err != nil {
		return fmt.Errorf("the run: %w", err)
	}
	say("  The plugin's first instruction found this lease on disk:\n    %s", lease)
	left, err := d.list()
	return errors.Join(err,
		claim(strings.Contains(lease, `"status":"host-active"`), "the lease was host-active before any of the plugin's code ran"),
		claim(!exists(i.daemon), "the daemon that the plugin left, pid %s, is gone", i.daemon),
		claim(len(left) == 0, "the list is empty: complete and released"))
}

// killedOwner shows what is left when the owner cannot say goodbye, and how it is cleared without a reboot.
func (d *demo) killedOwner() error {
	say("\n2. The owner is killed (SIGKILL) while the host is active.\n")
	i, err := d.start("stay")
	if err != nil {
		return err
	}
	defer i.end()
	if _, err := i.ready(); err != nil {
		return err
	}
	if err := i.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = i.cmd.Wait() // it was killed
	say("  killed: the owner, pid %d", i.cmd.Process.Pid)
	if err := d.refused(); err != nil {
		return err
	}
	left, err := d.sameVerdict()
	if err != nil {
		return err
	}
	if err := d.gateEnds(i, left); err != nil {
		return err
	}
	return d.cleared(left)
}

// refused shows that the plugin may not start beside what is left.
func (d *demo) refused() error {
	say("\n  A second run:")
	code, _, stderr, err := d.ask("run", "--", d.pluginX)
	say("    %s", strings.TrimSpace(stderr))
	return errors.Join(err,
		claim(code == 76, "it is refused with exit code 76"),
		claim(strings.Contains(stderr, "; next: containlease "), "it names the next command"))
}

// sameVerdict shows what list and doctor say, and returns the lease.
func (d *demo) sameVerdict() (record, error) {
	leases, err := d.list()
	if err == nil && len(leases) != 1 {
		err = fmt.Errorf("there are %d leases, not 1", len(leases))
	}
	var found struct{ Findings []record }
	if err == nil {
		err = d.askJSON(69, &found, "doctor")
	}
	if err == nil && len(found.Findings) != 1 {
		err = fmt.Errorf("doctor has %d findings, not 1", len(found.Findings))
	}
	if err != nil {
		return record{}, err
	}
	v, err := leases[0].read()
	say("\n  What list and doctor say of lease %s:", leases[0].LeaseID)
	say("    state    %s\n    verdict  %s: %s", leases[0].State, v.Outcome, v.Because)
	say("    known    %s", strings.Join(v.Details, "; "))
	say("    missing  %s", strings.Join(v.Missing, ", or "))
	return leases[0], errors.Join(err,
		claim(string(leases[0].Verdict) == string(found.Findings[0].Verdict), "list and doctor give the same verdict, to the letter"),
		claim(leases[0].State == "host-active" && v.Outcome == "orphan", "the owner is known to be dead, and the host to be alive"),
		claim(len(v.Missing) > 0 && v.Facts["boundaryEmpty"] != "proved", "the proof that nothing is left is still missing"))
}

// gateEnds lets the plugin end and waits for the gate itself, by the kernel's word and not by a clock.
func (d *demo) gateEnds(i *invocation, left record) error {
	gate, err := process.OpenPidfd(left.Host.PID)
	if err != nil {
		return err
	}
	defer gate.Close()
	say("\n  Now the plugin ends. Its gate, pid %d, has outlived the owner: it stops the rest and waits for it.", left.Host.PID)
	i.stdin.Close()
	if err := gate.Wait(d.ctx); err != nil {
		return err
	}
	i.silence()
	proof := filepath.Join("owners", left.LeaseID+".empty")
	_, err = os.Stat(filepath.Join(d.home, proof))
	return errors.Join(
		claim(!exists(i.daemon), "the daemon, pid %s, is gone", i.daemon),
		claim(err == nil, "the gate left its proof, %s", proof))
}

// cleared shows that the proof is enough.
func (d *demo) cleared(left record) error {
	say("\n  doctor --apply:")
	code, stdout, stderr, err := d.ask("doctor", "--apply")
	say("    %s", strings.TrimSpace(stdout+stderr))
	if err := errors.Join(err, claim(code == 0 && strings.Contains(stdout, left.LeaseID), "it is cleared, without a reboot")); err != nil {
		return err
	}
	code, _, stderr, err = d.ask("run", "--", d.pluginX)
	if code != 0 {
		say("    %s", stderr)
	}
	leases, lerr := d.list()
	return errors.Join(err, lerr,
		claim(code == 0, "the plugin runs again"),
		claim(len(leases) == 0, "the list is empty"))
}
