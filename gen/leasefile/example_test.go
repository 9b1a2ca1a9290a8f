package leasefile_test

import (
	"errors"
	"fmt"

	"containlease/gen/leasefile"
)

// Decode says exactly what is wrong and where. DecodeFile takes the canonical bytes only.
func ExampleDecodeMachineV1() {
	const id, boot = "0b0e7c1d-8f3a-4d2b-9a6e-1c5f7e9d3b2a", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	loose := []byte(`{ "schemaVersion": 1.0, "machineId": "` + id + `", "bootId": "` + boot + `", "pidNamespace": 4026531836 }`)
	m, err := leasefile.DecodeMachineV1(loose)
	fmt.Println(err, m != nil && m.MachineID == id)

	var wrong *leasefile.DecodeError
	_, err = leasefile.DecodeMachineV1File(loose)
	fmt.Println(errors.As(err, &wrong), wrong.Code)
	_, err = leasefile.DecodeMachineV1([]byte(`{"schemaVersion":1,"machineId":7}`))
	fmt.Println(errors.As(err, &wrong), wrong.Code, wrong.Pointer)
	_, err = leasefile.DecodeMachineV1File(m.AppendCanonical(nil))
	fmt.Println(err)
	// Output:
	// <nil> true
	// true not-canonical
	// true wrong-type /machineId
	// <nil>
}
