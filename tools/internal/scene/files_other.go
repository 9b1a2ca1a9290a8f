//go:build !linux

package scene

// moreFiles trusts the system to have room.
func moreFiles(int) error { return nil }
