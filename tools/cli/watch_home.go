package cli

import (
	"context"
	"fmt"
	"os/signal"
	"time"

	"containlease/lease"
)

// event is one line of watch.
type event struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind" jsonschema:"enum=present,enum=appeared,enum=moved,enum=vanished"`
	At     string `json:"at"`    // when it was seen, for people
	Lease  item   `json:"lease"` // as it is now; of what vanished as it was last seen
}

const watchText = `watch prints what there is and then every change of a lease or of its verdict, one line each, until it
is interrupted. It writes nothing, and works on a read-only mount. Two changes of one lease that come faster
than they are looked at are told as one; what no file tells of, such as the death of an owner, is seen
within two seconds.`

// watchHome follows the leases of the home until a signal ends it.
func (a *app) watchHome() error {
	reg, err := a.read()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, stop := signal.NotifyContext(context.Background(), terminal...)
	defer stop()
	for c, err := range reg.Watch(ctx) {
		if err != nil {
			return err
		}
		if err := a.printEvent(c); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printEvent(c lease.Change) error {
	out := event{Schema: "containlease/event-v1", Kind: string(c.Kind), At: c.At.UTC().Format(time.RFC3339Nano), Lease: a.itemOf(c.Now)}
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	it := out.Lease
	if c.Kind == lease.ChangeVanished { // why it was kept is no reason why it went
		it.Verdict.Outcome, it.Verdict.Because = "-", "it was released, cleared or set aside"
	}
	return a.print(fmt.Sprintf("%s  %-8s  %s  %s  %s  plugin %s: %s\n", c.At.Format(time.TimeOnly), c.Kind, plain(it.LeaseID), stateWord(it),
		it.Verdict.Outcome, dash(plain(it.PluginID)), plain(it.Verdict.Because)))
}
