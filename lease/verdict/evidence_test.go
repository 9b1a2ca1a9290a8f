package verdict_test

import (
	"testing"

	"containlease/fsm"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// TestLostEvidenceIsNoWordAboutABoundary: an owner that kept a liveness lock kept evidence too. If that is lost, nobody knows
// whether helpers live in a boundary, so the lease stays. The model found this removed.
func TestLostEvidenceIsNoWordAboutABoundary(t *testing.T) {
	base := verdict.Facts{Version: 2, State: fsm.StateParentOwned, OwnerBootCurrent: true, SameMachine: true, BootReliable: true,
		Lock: verdict.LockFree}
	letGo, vouched, strangers, known := base, base, base, base
	letGo.Owner = verdict.Live
	vouched.Owner, vouched.SinglePIDNamespace = verdict.Dead, true
	strangers.Owner, strangers.SinglePIDNamespace, strangers.Lock = verdict.Dead, true, verdict.LockMissing
	known.Owner, known.Evidence, known.Place = verdict.Dead, true, verdict.PlaceSame

	require.False(t, verdict.Judge(letGo).Removable)
	require.False(t, verdict.Judge(vouched).Removable)
	require.True(t, verdict.Judge(strangers).Removable, "a program that keeps no lock keeps no boundary")
	require.True(t, verdict.Judge(known).Removable)
}
