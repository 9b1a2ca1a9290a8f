package fsm_test

import (
	"errors"
	"fmt"
	"testing"

	"containlease/fsm"

	"github.com/stretchr/testify/require"
)

// TestMemoryOfEveryArrow: whichever arrow it is, the state moves by the hook's word alone, and by Resume where that word comes late.
func TestMemoryOfEveryArrow(t *testing.T) {
	disk := errors.New("disk")
	in := fsm.Input[host]{Host: &host{pid: 7}}
	for _, row := range fsm.Table {
		t.Run(fmt.Sprintf("%s/%s", row.From, row.Event), func(t *testing.T) {
			doubtful := machineIn(row.From, &recorder{landed: true, err: disk})
			require.Equal(t, disk, doubtful.Fire(t.Context(), row.Event, in))
			require.Equal(t, row.To, doubtful.State())

			r := &recorder{err: disk}
			m := machineIn(row.From, r)
			require.Equal(t, disk, m.Fire(t.Context(), row.Event, in))
			require.Equal(t, row.From, m.State())
			require.NoError(t, m.Resume(r.calls[0]))
			require.Equal(t, row.To, m.State())
			require.Len(t, r.calls, 1, "Resume writes nothing")
		})
	}
}
