package leasefile_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
	"containlease/gen/wire"
)

func FuzzDecode(f *testing.F) {
	plant(f)
	f.Fuzz(checkValue)
}

func FuzzDecodeFile(f *testing.F) {
	plant(f)
	f.Fuzz(checkFile)
}

// plant adds the corpus as seeds. The few long documents would only slow the fuzzer
// down; other tests read them.
func plant(f *testing.F) {
	const most = 4 << 10
	for _, document := range seeds(f) {
		if len(document) < most {
			f.Add(document)
		}
	}
}

// FuzzCanonical fills a lease with anything: its canonical bytes are refused, or they
// are what encoding/json writes and read back as the same lease.
func FuzzCanonical(f *testing.F) {
	for _, document := range seeds(f) {
		if v, err := leasefile.Decode(document); err == nil {
			i, o := v.Operation(), v.OwnedBy()
			f.Add(v.Acquired(), i.AdapterID, i.Operation, i.PluginID, i.PluginVersion, i.SurfaceID, string(i.Transport), "host-active", o.PID, i.ContractVersion, int64(1))
			f.Add(v.Acquired(), v.ID(), v.Run(), o.Token, o.BootID, o.ProcessStartID, i.BundleSHA256, "cleanup-unsafe", int64(0), int64(0), int64(0))
		}
	}
	f.Fuzz(func(t *testing.T, at, a, b, c, d, e, transport, status string, pid, contract, hostPID int64) {
		v := lease(t)
		v.AcquiredAt, v.Identity.AdapterID, v.Identity.Operation, v.Identity.PluginID, v.Identity.PluginVersion, v.Identity.SurfaceID = at, a, b, c, d, e
		v.Identity.Transport, v.Containment.Status = leasefile.Transport(transport), leasefile.ContainmentStatus(status)
		v.Owner.PID, v.Identity.ContractVersion = pid, contract
		v.Containment.Host.PID = hostPID
		checkCanonical(t, v)
		v.Containment.Host = nil
		checkCanonical(t, v)
		v.LeaseID, v.RunID, v.Owner.Token, v.Owner.BootID, v.Owner.ProcessStartID, v.Identity.BundleSHA256 = a, b, c, d, e, transport
		checkCanonical(t, v)
	})
}

// checkCanonical states that a value is valid exactly if its canonical bytes are those
// of a lease, and then of this one.
func checkCanonical(t *testing.T, v *leasefile.LeaseV2) {
	canonical := v.AppendCanonical(nil)
	again, err := leasefile.DecodeFile(canonical)
	require.Equal(t, err == nil, v.Validate() == nil)
	if len(canonical) <= wire.MaxFile {
		require.Equal(t, referenceFile(canonical), err == nil, "%s: %v", canonical, err)
	}
	if err == nil {
		require.Equal(t, v, again)
	}
}

// checkValue states what must hold for any bytes: a value that is accepted can be
// written and read back, and a refusal lies at the first byte that no valid document
// has there.
func checkValue(t *testing.T, b []byte) {
	v, err := leasefile.Decode(b)
	want := reference(b)
	require.Equal(t, want != nil, err == nil, "%v", err)
	if err != nil {
		require.Nil(t, v)
		checkRefusal(t, b, err)
		return
	}
	canonical := v.AppendCanonical(nil)
	require.Equal(t, string(want), string(canonical))
	again, err := leasefile.DecodeFile(canonical)
	require.NoError(t, err, "%s", canonical)
	require.Equal(t, v, again)
	require.NoError(t, v.Validate())
}

// checkFile states that a file is accepted only as its canonical bytes.
func checkFile(t *testing.T, b []byte) {
	v, err := leasefile.DecodeFile(b)
	require.Equal(t, referenceFile(b), err == nil, "%v", err)
	if err != nil {
		return
	}
	require.Equal(t, string(b), string(v.AppendCanonical(nil)))
	value, err := leasefile.Decode(b)
	require.NoError(t, err)
	require.Equal(t, v, value)
}

// checkRefusal cuts the document off before and behind the offset of the error: up to
// there it could still have become valid, and one byte later no more.
func checkRefusal(t *testing.T, b []byte, err error) {
	t.Helper()
	refusal := asDecodeError(t, err)
	require.LessOrEqual(t, refusal.Offset, len(b))
	if refusal.Code == wire.NewerVersion {
		return
	}
	if _, err := leasefile.Decode(b[:refusal.Offset]); err != nil {
		before := asDecodeError(t, err)
		require.Equal(t, wire.Syntax, before.Code, "%v, cut before: %v", refusal, before)
		require.Equal(t, refusal.Offset, before.Offset, "%v, cut before: %v", refusal, before)
	}
	// An escape or a character beyond ASCII needs more than one byte to be judged.
	if refusal.Offset < len(b) && b[refusal.Offset] != '\\' && b[refusal.Offset] < 0x80 {
		_, err := leasefile.Decode(b[:refusal.Offset+1])
		require.Equal(t, refusal.Offset, asDecodeError(t, err).Offset, "%v, cut behind: %v", refusal, err)
	}
}

func asDecodeError(t *testing.T, err error) *leasefile.DecodeError {
	t.Helper()
	var e *leasefile.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	require.ErrorIs(t, err, e.Code)
	require.NotEmpty(t, e.Detail)
	return e
}
