package process

import "fmt"

// Status is what is known of the process of an Identity. The zero value is
// Unknown, so that an answer nobody gave is never taken for proof.
type Status int

const (
	Unknown Status = iota // neither could be proved
	Live                  // exactly this process exists and has not ended; it may be stopped
	Dead                  // this process has ended; its pid may be another's now
)

// String returns "unknown", "live" or "dead".
func (s Status) String() string {
	switch s {
	case Unknown:
		return "unknown"
	case Live:
		return "live"
	case Dead:
		return "dead"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}
