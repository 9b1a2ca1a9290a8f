package fsm_test

import (
	"context"
	"errors"
	"fmt"

	"containlease/fsm"
)

// The hook is the one write of an arrow: the state moves by its word that the bytes are in place.
func Example() {
	ctx := context.Background()
	full := true
	write := func(_ context.Context, t fsm.Transition[int]) (landed bool, err error) {
		if full {
			return false, errors.New("no space left")
		}
		fmt.Println(t.Write, t.From, "->", t.To)
		return true, nil
	}
	m := fsm.New("lease-1", fsm.StateParentOwned, nil, write)

	fmt.Println(m.Fire(ctx, fsm.CleanupComplete, fsm.Input[int]{}), m.State())
	full = false
	fmt.Println(m.Fire(ctx, fsm.CleanupComplete, fsm.Input[int]{}), m.State())
	fmt.Println(m.Fire(ctx, fsm.CleanupComplete, fsm.Input[int]{}), "a repeat writes nothing")

	var refused *fsm.TransitionError
	fmt.Println(errors.As(m.Fire(ctx, fsm.CleanupUnsafe, fsm.Input[int]{}), &refused), refused.Class)
	// Output:
	// no space left parent-owned
	// replace parent-owned -> cleanup-complete
	// <nil> cleanup-complete
	// <nil> a repeat writes nothing
	// true unsafe-after-complete
}
