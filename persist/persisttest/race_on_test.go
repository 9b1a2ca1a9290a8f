//go:build race

package persisttest_test

const raceDetector = true
