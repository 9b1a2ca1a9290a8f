//go:build !race

package persisttest_test

// raceDetector: it makes everything several times slower, so less is explored with it.
const raceDetector = false
