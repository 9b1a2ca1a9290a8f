// Package atombender is what go-jsonschema v0.24.1 makes of schema/lease-v2.schema.json,
// formatted and otherwise as it came, to be measured beside our own generator's code.
//
// It decodes less than the schema says: unknown and repeated members pass, the union
// is an interface without a check, null is taken for a zero value.
package atombender
