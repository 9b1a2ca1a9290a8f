package cli

import (
	"context"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/etcd"
)

// fleetListing is what list --fleet prints: everything as of one revision.
type fleetListing struct {
	Schema   string         `json:"schema"`
	Revision int64          `json:"revision"` // 0 where there is nothing
	Machines []fleetMachine `json:"machines"`
	Leases   []fleetLease   `json:"leases"`
}

type fleetMachine struct {
	MachineID string  `json:"machineId"`
	BootID    string  `json:"bootId"`                       // "" where the record cannot be read
	Digest    *string `json:"digest" jsonschema:"nullable"` // of the record: what retire-machine wants
	Revision  int64   `json:"revision"`                     // at which the record was last written
	Problem   *string `json:"problem" jsonschema:"nullable"`
}

type fleetLease struct {
	MachineID       string  `json:"machineId"`
	LeaseID         string  `json:"leaseId"`
	PluginID        string  `json:"pluginId"`
	State           string  `json:"state"`
	Standing        string  `json:"standing" jsonschema:"enum=complete,enum=uncontained,enum=unsafe,enum=boot-over,enum=no-machine,enum=unreadable"`
	AcquiredAt      string  `json:"acquiredAt"` // for people: no standing rests on it
	Digest          *string `json:"digest" jsonschema:"nullable"`
	Revision        int64   `json:"revision"`
	MachineRevision int64   `json:"machineRevision"` // of boot-over: its machine's boot moved on no later than this
	Problem         *string `json:"problem" jsonschema:"nullable"`
}

// standingText says a standing to people.
var standingText = map[etcd.Standing]string{
	etcd.Complete:    "its processes were proved gone; only its removal is missing",
	etcd.Uncontained: "it runs, or crashed: `" + program + " show` on its machine tells",
	etcd.Unsafe:      "its processes are not proved gone: `" + program + " doctor` on its machine tells what is missing",
	etcd.BootOver:    "its machine has booted since: `" + program + " doctor --apply` there clears it",
	etcd.NoMachine:   "its machine has no readable record: start " + program + " there once, or retire-machine",
	etcd.Unreadable:  "no lease that this program knows",
}

// fleet opens the view of all machines.
func (a *app) fleet() (*etcd.Fleet, error) {
	if a.store == "" {
		return nil, usagef("a fleet is in an etcd cluster: say which with --store")
	}
	opts, err := a.cluster()
	if err != nil {
		return nil, err
	}
	return etcd.OpenFleet(context.Background(), opts...)
}

func (a *app) listFleet() error {
	f, err := a.fleet()
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	out := fleetListing{Schema: "containlease/fleet-v1", Machines: []fleetMachine{}, Leases: []fleetLease{}}
	for r, err := range f.List(ctx) {
		if err != nil {
			return err
		}
		out.Revision = r.As
		if r.Key == "" {
			out.Machines = append(out.Machines, machineRow(r))
		} else {
			out.Leases = append(out.Leases, leaseRow(r))
		}
	}
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	return a.print(fleetTable(out))
}

func machineRow(r etcd.Record) fleetMachine {
	m := fleetMachine{MachineID: r.MachineID, Digest: digestText(r.Entry), Revision: r.Revision, Problem: problemText(r.Err)}
	if r.Machine != nil {
		m.BootID = r.Machine.BootID
	}
	return m
}

func leaseRow(r etcd.Record) fleetLease {
	l := fleetLease{MachineID: r.MachineID, LeaseID: r.Key, Standing: string(r.Standing), Digest: digestText(r.Entry),
		Revision: r.Revision, MachineRevision: r.MachineRevision, Problem: problemText(r.Err)}
	if r.Lease != nil {
		l.PluginID, l.AcquiredAt = r.Lease.Operation().PluginID, r.Lease.Acquired()
	}
	if v2, ok := r.Lease.(*leasefile.LeaseV2); ok {
		l.State = string(v2.Containment.Status)
	}
	return l
}

func fleetTable(out fleetListing) string {
	machines := make([]row, len(out.Machines))
	for i, m := range out.Machines {
		machines[i] = row{cells: []string{m.MachineID, fmt.Sprintf("%.12s", dash(m.BootID)), dash(orNothing(m.Digest))}}
	}
	leases := make([]row, len(out.Leases))
	for i, l := range out.Leases {
		leases[i] = row{
			cells: []string{l.MachineID, l.LeaseID, dash(l.State), l.Standing, dash(l.PluginID)},
			below: []string{standingText[etcd.Standing(l.Standing)] + choose(l.Problem == nil, "", ": "+orNothing(l.Problem))},
		}
	}
	return table([]string{"MACHINE", "BOOT", "DIGEST OF ITS RECORD"}, machines) + "\n" +
		table([]string{"MACHINE", "LEASE", "STATE", "STANDING", "PLUGIN"}, leases)
}

func digestText(e persist.Entry) *string {
	if e.Content == nil {
		return nil
	}
	s := e.Digest.String()
	return &s
}

func problemText(err error) *string {
	if err == nil {
		return nil
	}
	s := err.Error()
	return &s
}
