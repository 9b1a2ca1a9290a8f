//go:build linux || darwin || freebsd

package memory_test

import (
	"fmt"

	"containlease/persist/file"
	"containlease/persist/memory"
)

// A record that was acknowledged is there whatever a power loss keeps of the rest.
func ExampleDisk() {
	d := memory.NewDisk()
	home, err := file.Create("/home", file.On(d.Process()))
	if err != nil {
		panic(err)
	}
	if err := home.WriteRecord("machine.json", []byte("mine"), file.Durable); err != nil {
		panic(err)
	}
	lost := 0
	for after := range d.Crashes() {
		home, err := file.Open("/home", file.On(after.Process()))
		if err != nil {
			panic(err)
		}
		if content, err := home.ReadRecord("machine.json"); err != nil || string(content) != "mine" {
			lost++
		}
	}
	fmt.Println("lost after", lost, "crashes")
	// Output: lost after 0 crashes
}
