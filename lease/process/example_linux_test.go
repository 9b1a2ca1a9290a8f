package process_test

import (
	"fmt"
	"os/exec"

	"containlease/lease/process"
)

// Record a child while it runs, and ask about it later: from any process of this
// machine, after any crash.
func ExampleInspector() {
	inspector := process.New()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return
	}
	recorded, err := inspector.Lookup(int64(cmd.Process.Pid))
	if err != nil {
		fmt.Println(err)
		return
	}
	status, _ := inspector.Status(recorded.Identity, recorded.Inode)
	fmt.Println(status)

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	status, why := inspector.Status(recorded.Identity, recorded.Inode)
	fmt.Printf("%s: %s\n", status, why)
	// Output:
	// live
	// dead: no such process
}
