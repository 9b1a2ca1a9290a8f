//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"containlease/lease"
	"containlease/tools/internal/scene"
)

// share is how many leases one owner holds: each is an open file.
const share = 10_000

// fill makes a home and fills it with healthy leases of other plugins, in shares of living owners. leave ends those.
func fill(home string, n int) (leave func() error, err error) {
	reg, err := lease.Open(context.Background(), home)
	if err != nil {
		return nil, err
	}
	if err := reg.Close(); err != nil {
		return nil, err
	}
	var leaves []func() error
	leave = func() (err error) {
		for _, l := range leaves {
			err = errors.Join(err, l())
		}
		return err
	}
	for ; n > 0; n -= share {
		l, err := ownerOf(home, min(n, share))
		if err != nil {
			return nil, errors.Join(err, leave())
		}
		leaves = append(leaves, l)
	}
	return leave, nil
}

// ownerOf starts an owner of n leases, and returns when they are there.
func ownerOf(home string, n int) (leave func() error, err error) {
	c := child("own", home, strconv.Itoa(n))
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	leave = func() error { return errors.Join(in.Close(), c.Wait()) }
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(err, leave())
	}
	return leave, nil
}

// own HOME N owns that many leases until its input ends.
func own(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	leave, err := scene.Fill(args[0], n)
	if err != nil {
		return err
	}
	if _, err = os.Stdout.WriteString("ready\n"); err == nil {
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return errors.Join(err, leave())
}
