package lease

import (
	"testing"

	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// A process in the group forbids every word, unless it is proved that the boot is another one: then
// the group is a stranger's, whose number came back.
func TestAnInhabitedGroupIsAnObjection(t *testing.T) {
	for name, c := range map[string]struct {
		facts    verdict.Facts
		objected bool
	}{
		"the same boot":       {verdict.Facts{OwnerBootCurrent: true, BootReliable: true}, true},
		"no boot that counts": {verdict.Facts{}, true},
		"another boot":        {verdict.Facts{BootReliable: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.facts.BoundaryInhabited = true
			require.Equal(t, c.objected, atWork(Inspection{Facts: c.facts}) != nil)
		})
	}
}
