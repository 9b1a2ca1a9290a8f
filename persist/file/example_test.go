package file_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"containlease/persist"
	"containlease/persist/file"
)

// A replacement names the bytes that it replaces. Whoever comes second finds them gone.
func ExampleHome_Store() {
	dir, err := os.MkdirTemp("", "containlease-example-")
	check(err)
	defer os.RemoveAll(dir)
	home, err := file.Create(dir, file.AllowAnyFilesystem())
	check(err)
	defer home.Close()
	ctx, store, key := context.Background(), home.Store(), "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"

	write := func(op persist.Op, old, next string) error {
		a := persist.Attempt{Key: key, Op: op, Old: persist.DigestOf([]byte(old)), Next: []byte(next)}
		return a.Do(ctx, store, func(publish func() error) error {
			lock, err := home.Lock(ctx, file.Exclusive, nil)
			check(err)
			defer lock.Unlock()
			return publish()
		})
	}
	fmt.Println(write(persist.Create, "", "one"))
	fmt.Println(write(persist.Replace, "one", "two"))
	fmt.Println(errors.Is(write(persist.Replace, "one", "three"), persist.ErrChanged))
	e, err := store.Read(ctx, key)
	fmt.Println(string(e.Content), err)
	// Output:
	// <nil>
	// <nil>
	// true
	// two <nil>
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
