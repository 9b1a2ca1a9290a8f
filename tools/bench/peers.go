//go:build linux

package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	natefinch "github.com/natefinch/atomic"
	bolt "go.etcd.io/bbolt"
	_ "modernc.org/sqlite" // database/sql's driver "sqlite"
)

// peer is another way to replace 1.2 KB.
type peer struct {
	name                   string
	syncsDirectory, checks string // whether it makes the new name durable, and compares the old content first
	open                   func(dir string) (replace func(version int) error, close func() error, err error)
}

var peerTable = []peer{
	{"containlease", "yes", "yes, by sha256", openOurs},
	{"renameio v2", "no", "no", openRenameio},
	{"natefinch/atomic", "no", "no", openNatefinch},
	{"gofrs/flock + renameio v2", "no", "no", openFlock},
	{"bbolt", "no new name", "no, but transactions could", openBolt},
	{"SQLite (modernc), WAL, FULL", "no new name", "no, but UPDATE ... WHERE could", openSQLite},
}

func nothing() error { return nil }

func openOurs(dir string) (func(int) error, func() error, error) {
	r, err := newRecord(filepath.Join(dir, "home"))
	if err != nil {
		return nil, nil, err
	}
	return func(int) error { return r.replace() }, r.home.Close, nil
}

func openRenameio(dir string) (func(int) error, func() error, error) {
	return func(v int) error { return renameio.WriteFile(filepath.Join(dir, "record"), content(v), 0o600) }, nothing, nil
}

func openNatefinch(dir string) (func(int) error, func() error, error) {
	return func(v int) error {
		return natefinch.WriteFile(filepath.Join(dir, "record"), bytes.NewReader(content(v)))
	}, nothing, nil
}

func openFlock(dir string) (func(int) error, func() error, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	return func(v int) error {
		if err := lock.Lock(); err != nil {
			return err
		}
		return errors.Join(renameio.WriteFile(filepath.Join(dir, "record"), content(v), 0o600), lock.Unlock())
	}, lock.Close, nil
}

func openBolt(dir string) (func(int) error, func() error, error) {
	db, err := bolt.Open(filepath.Join(dir, "db"), 0o600, nil)
	if err != nil {
		return nil, nil, err
	}
	return func(v int) error {
		return db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("leases"))
			if err != nil {
				return err
			}
			return b.Put([]byte("record"), content(v))
		})
	}, db.Close, nil
}

func openSQLite(dir string) (func(int) error, func() error, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE leases (id TEXT PRIMARY KEY, content BLOB)"); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return func(v int) error {
		_, err := db.Exec("INSERT INTO leases VALUES ('record', ?) ON CONFLICT DO UPDATE SET content = excluded.content", content(v))
		return err
	}, db.Close, nil
}

// peers measures all of them in turns on the disk.
func peers(_ context.Context, out *bytes.Buffer, p places, rounds int) error {
	times := make([][]time.Duration, len(peerTable))
	var replaces []func(int) error
	for i, peer := range peerTable {
		dir := filepath.Join(p.disk, fmt.Sprintf("peer-%d", i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		replace, close, err := peer.open(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		defer close()
		replaces = append(replaces, replace)
	}
	for v := range rounds {
		for i, replace := range replaces {
			start := time.Now()
			if err := replace(v + 1); err != nil {
				return fmt.Errorf("%s: %w", peerTable[i].name, err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	fmt.Fprintf(out, "\n### The same replacement by other means (1.2 KB, disk, medians of %d, in turns)\n\n", rounds)
	fmt.Fprintf(out, "| | time | ÷ ours | syncs each | syncs the directory | checks the old content |\n| --- | --- | --- | --- | --- | --- |\n")
	ours := median(times[0])
	for i, peer := range peerTable {
		syncs, err := syncsOf(p.disk, "peer", peer.name)
		if err != nil {
			return err
		}
		m := median(times[i])
		fmt.Fprintf(out, "| %s | %s | %.2f | %s | %s | %s |\n", peer.name, short(m), float64(m)/float64(ours), syncs, peer.syncsDirectory, peer.checks)
	}
	return nil
}
