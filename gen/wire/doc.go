// Package wire is the run-time of the generated package leasefile: a scanner that
// reads one JSON document from left to right against a shape known beforehand,
// and the error that says where and why a document was refused.
//
// It is strict where encoding/json is lenient. Names match in their exact case,
// no object has the same name twice, null is a value only where the shape says
// so, text is valid UTF-8, integers are taken by their exact decimal value, and
// nothing follows the document. Nothing that the shape does not know is skipped:
// it is refused at its first byte, so neither depth nor size of the input can
// cost more than the part that was valid.
//
// Reading never needs a second look at the bytes: while it scans, the Scanner
// notes whether it has met a spelling that the canonical rendering would not
// have used. A caller that insists on canonical bytes has to render the value
// again only if it has.
//
// Nothing in this package is safe for concurrent use on the same Scanner;
// shapes, patterns and vocabularies are read-only and may be shared.
package wire
