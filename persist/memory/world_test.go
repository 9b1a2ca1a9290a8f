//go:build linux || darwin || freebsd

package memory_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/internal/disk"
	"containlease/persist/memory"
)

const (
	key  = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	path = "/deep/home"
)

// world is one process on a disk, and what has to be true of the disk whenever it is crashed.
type world struct {
	d    *memory.Disk
	p    *memory.Process
	via  func(*memory.Process) disk.System // a mutant between the process and the disk; nil for none
	home *file.Home
	live *file.Liveness

	depth       int
	may         map[string][]string // contents that a key or record may have; "" is none
	lines       []string            // of the audit log, acknowledged
	quarantined string              // "", "moving" or "moved"
}

func newWorld(d *memory.Disk) *world {
	return &world{d: d, p: d.Process(), may: map[string][]string{key: {""}, machineID: {""}}}
}

// expect says what must hold.
func (w *world) expect() string {
	var s []string
	for _, name := range slices.Sorted(maps.Keys(w.may)) {
		for _, content := range w.may[name] {
			s = append(s, fmt.Sprintf("%s=%.7s", name[:4], content))
		}
	}
	return fmt.Sprint("at depth ", w.depth, " ", s, w.lines, w.quarantined)
}

// crashed is the world of whoever comes after a crash: it expects the same.
func (w *world) crashed(after *memory.Disk) *world {
	next := newWorld(after)
	next.depth, next.lines, next.quarantined = w.depth+1, slices.Clone(w.lines), w.quarantined
	for name, contents := range w.may {
		next.may[name] = slices.Clone(contents)
	}
	return next
}

// start is a new process that opens the home, after the one before it has ended.
func (w *world) start() (err error) {
	if w.home != nil {
		w.p.Kill()
		w.p = w.d.Process()
	}
	var sys disk.System = w.p
	if w.via != nil {
		sys = w.via(w.p)
	}
	w.home, err = file.Create(path, file.On(sys))
	return err
}

func (w *world) locked(do func() error) error {
	lock, err := w.home.Lock(ctx, file.Exclusive, nil)
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Unlock())
}

func (w *world) claim() error {
	return w.locked(func() (err error) { w.live, err = w.home.Claim(key); return err })
}

func (w *world) seize() error {
	return w.locked(func() (err error) { w.live, err = w.home.Seize(key); return err })
}

func (w *world) retire() error { return w.live.Retire() }

// change makes a change of one content, which is there once it is acknowledged.
func (w *world) change(name string, next []byte, do func() error) error {
	w.may[name] = append(w.may[name], string(next))
	err := do()
	if err == nil {
		w.may[name] = []string{string(next)}
	}
	return err
}

// do makes a write, and settles it for as long as it is not settled.
func (w *world) do(a persist.Attempt) error {
	a.Key = key
	return w.change(key, a.Next, func() error {
		err := a.Do(ctx, w.home.Store(), w.locked)
		for range 3 {
			if !errors.Is(err, persist.ErrUnsettled) {
				break
			}
			err = a.Settle(ctx, w.home.Store(), w.locked)
		}
		return err
	})
}

// check holds the disk against what is expected, through the home and beside it.
func (w *world) check() error {
	if w.quarantined != "" {
		return w.checkQuarantine()
	}
	for e, err := range w.home.Store().List(ctx) {
		if err != nil || e.Err != nil {
			return fmt.Errorf("listing: %w", errors.Join(err, e.Err))
		}
	}
	e, err := w.home.Store().Read(ctx, key)
	if err != nil && !errors.Is(err, persist.ErrNotExist) {
		return err
	}
	record, rerr := w.home.ReadRecord(machineID)
	if rerr != nil && !errors.Is(rerr, persist.ErrNotExist) {
		return rerr
	}
	if err == nil && len(e.Content) == 0 || rerr == nil && len(record) == 0 {
		return errors.New("a name without bytes")
	}
	for name, content := range map[string]string{key: string(e.Content), machineID: string(record)} {
		if !slices.Contains(w.may[name], content) {
			return fmt.Errorf("%s is %d bytes, %.7q", name, len(content), content)
		}
	}
	log := w.raw("/audit.jsonl")
	for _, line := range w.lines {
		if !slices.Contains(strings.Split(log, "\n"), line) {
			return fmt.Errorf("the audit log lost %q: %q", line, log)
		}
	}
	return nil
}

// raw reads a file behind the home's back; "" where there is none.
func (w *world) raw(name string) string {
	p := w.d.Process()
	defer p.Kill()
	fd, err := p.Open(-1, path+name, disk.Reading)
	if err != nil {
		return ""
	}
	b := make([]byte, 1<<14)
	n, _ := p.Pread(fd, b, 0)
	return string(b[:n])
}

// recover is what the first process after a crash does: everything is as expected, nothing is locked, sweeping twice is
// sweeping once, and the lease goes on to its end and leaves nothing.
func (w *world) recover() error {
	if err := w.start(); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	if err := w.rely(); err != nil {
		return err
	}
	if held, err := w.home.Probe(key); err != nil || held == file.Held {
		return fmt.Errorf("the liveness lock is %v: %w", held, err)
	}
	err := w.locked(func() error {
		if _, err := w.sweep(); err != nil {
			return err
		}
		again, err := w.sweep()
		if len(again) > 0 {
			return fmt.Errorf("swept only now: %v", again)
		}
		return err
	})
	if err != nil || w.quarantined != "" {
		return err
	}
	return w.goOn()
}

// sweep sweeps as an acquire does.
func (w *world) sweep() ([]string, error) {
	keys, err := w.home.Store().Keys(ctx)
	if err != nil {
		return nil, err
	}
	return w.home.Sweep(ctx, keys)
}

func (w *world) goOn() error {
	err := w.seize()
	if errors.Is(err, persist.ErrNotExist) {
		err = w.claim()
	}
	if err != nil {
		return err
	}
	next := body(100+w.depth, 1000)
	e, err := w.home.Store().Read(ctx, key)
	if errors.Is(err, persist.ErrNotExist) {
		err = create(next)(w)
	} else if err == nil {
		err = replace(e.Content, next)(w)
	}
	if err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	if err := all(remove(next), (*world).retire)(w); err != nil {
		return err
	}
	if err := w.nothingLeft("/leases/", key+".json", "."+key+".spare", "."+key+".next"); err != nil {
		return err
	}
	// The next acquire sweeps what no crash-free life leaves.
	if err := w.locked(func() error { _, err := w.sweep(); return err }); err != nil {
		return err
	}
	return w.nothingLeft("/owners/", key+".lock", key+".json", key+".lock.next", key+".json.next")
}

func (w *world) nothingLeft(folder string, names ...string) error {
	for _, name := range names {
		if _, err := w.p.Lstat(-1, path+folder+name); err == nil {
			return fmt.Errorf("%s%s stays behind", folder, name)
		}
	}
	return nil
}
