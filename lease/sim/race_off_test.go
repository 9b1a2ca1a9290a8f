//go:build !race

package sim_test

// raceDetector: it makes everything several times slower, so less is explored with it.
const raceDetector = false
