// Conformance compares the generated decoder with schema validators that know nothing
// of it: santhosh-tekuri/jsonschema in Go and Ajv in JavaScript. It asks all three
// about every document of schema/vectors and about mutants of them, made from a fixed
// seed, and prints how often they agree.
//
// A document that one accepts and another refuses is a failure unless
// schema/vectors/disagreements.json allows it, by the validator and the code of our
// refusal. A document that we accept and a validator refuses is always a failure.
//
// Ajv needs node and npm. Without them its half is skipped, and says so; where the
// environment has CI a skip is a failure.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
