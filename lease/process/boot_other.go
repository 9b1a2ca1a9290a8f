//go:build !linux && !darwin

package process

func boot() (string, error) { return "", unproved() }
