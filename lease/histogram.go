package lease

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// bounds are the upper ends of a Histogram's buckets, each in it: from what a write takes to what a long invocation does.
var bounds = [...]time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second,
	time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour}

// Histogram counts durations. The zero value is empty.
type Histogram struct {
	Count   int64    `json:"count"`
	Seconds float64  `json:"seconds"` // their sum
	Buckets []Bucket `json:"buckets"` // rising; each holds those before it too, as Prometheus has them
}

// Bucket is how many durations were at most so long. The last one has no bound: UpTo is +Inf, null in JSON.
type Bucket struct {
	UpTo  Seconds `json:"le"`
	Count int64   `json:"count"`
}

// Seconds is a duration as a number; +Inf is null in JSON, which has no such number.
type Seconds float64

// MarshalJSON spells +Inf as null.
func (s Seconds) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(s), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s))
}

// tally is a Histogram at work; its last bucket has no bound.
type tally struct {
	sum    time.Duration
	counts [len(bounds) + 1]int64
}

func (t *tally) add(d time.Duration) {
	n, _ := slices.BinarySearch(bounds[:], d)
	t.counts[n]++
	t.sum += d
}

func (t *tally) histogram() Histogram {
	h := Histogram{Seconds: t.sum.Seconds()}
	for n, count := range t.counts {
		upTo := math.Inf(1)
		if n < len(bounds) {
			upTo = bounds[n].Seconds()
		}
		h.Count += count
		h.Buckets = append(h.Buckets, Bucket{Seconds(upTo), h.Count})
	}
	return h
}
