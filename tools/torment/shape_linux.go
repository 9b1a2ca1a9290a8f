package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

// shape is one process of a plugin's tree: how it is born, what it does to itself, whom it forks.
type shape struct {
	Name       string        `json:"name"`
	Hop        bool          `json:"hop,omitempty"`        // born by a double fork
	Session    bool          `json:"session,omitempty"`    // born in a session of its own
	Bare       bool          `json:"bare,omitempty"`       // executed with an empty environment
	Leaves     bool          `json:"leaves,omitempty"`     // moves itself out of its control group
	Title      string        `json:"title,omitempty"`      // what it overwrites, as setproctitle does
	Leaderless bool          `json:"leaderless,omitempty"` // ends its main thread
	Stops      bool          `json:"stops,omitempty"`      // stops itself
	Deaf       bool          `json:"deaf,omitempty"`       // ignores TERM, HUP and INT
	Counts     bool          `json:"counts,omitempty"`     // tells of every signal that it gets
	Life       time.Duration `json:"life,omitempty"`       // 0: for ever
	Kids       []shape       `json:"kids,omitempty"`
}

// What a title overwrites.
const (
	titleShort = "short" // the arguments, and the first bytes of the environment
	titleWhole = "whole" // everything
)

// most is how many processes a tree has at most, without those that only fork.
const most = 7

// grown is a random tree.
func grown(r *rand.Rand) shape {
	room := most - 1
	s := sprout(r, "p", 3, &room)
	s.Hop, s.Session = false, false // how it is born is the gate's affair
	return s
}

// sprout is a random subtree of that depth, of at most room more processes.
func sprout(r *rand.Rand, name string, depth int, room *int) shape {
	in100 := func(n int) bool { return r.IntN(100) < n }
	s := shape{Name: name, Hop: in100(30), Session: in100(30), Bare: in100(25), Leaves: in100(30),
		Leaderless: in100(15), Stops: in100(10), Deaf: in100(35)}
	switch {
	case in100(10):
		s.Title = titleShort
	case in100(10):
		s.Title = titleWhole
	}
	if in100(35) {
		s.Life = time.Duration(1+r.IntN(150)) * time.Millisecond
	}
	for i := 0; depth > 0 && i < 2 && *room > 0 && in100(60); i++ {
		*room--
		s.Kids = append(s.Kids, sprout(r, fmt.Sprintf("%s%d", name, i), depth-1, room))
	}
	return s
}

// brief is a plugin that ends at once, or nearly.
func brief(r *rand.Rand) shape {
	return shape{Name: "p", Life: time.Duration(1+r.IntN(30)) * time.Millisecond}
}

// names are those of all processes of the tree.
func (s shape) names() []string {
	all := []string{s.Name}
	for _, k := range s.Kids {
		all = append(all, k.names()...)
	}
	return all
}

// word is the shape as one argument.
func (s shape) word() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // there is nothing in it that could not be written
	}
	return string(b)
}

func shapeOf(word string) (s shape, err error) {
	err = json.Unmarshal([]byte(word), &s)
	return s, err
}
