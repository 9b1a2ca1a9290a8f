package main

import "containlease/tools/leasegen/internal/emit"

// target names what the schemas leave to Go.
var target = emit.Config{
	Package:   "leasefile",
	Principal: "lease",
	Accessors: []emit.Accessor{
		{JSON: "acquiredAt", Go: "Acquired"},
		{JSON: "identity", Go: "Operation"},
		{JSON: "leaseId", Go: "ID"},
		{JSON: "owner", Go: "OwnedBy"},
		{JSON: "runId", Go: "Run"},
	},
	Peek:  "PeekPluginID",
	Outer: "identity",
	Inner: "pluginId",
	Doc: `// Package leasefile reads and writes the records that containlease keeps on disk:
// the lease, and the small ones beside it. It is generated from the schemas in
// containlease/schema, which are the contract.
//
// There are two levels of strictness. Decode accepts any spelling of JSON whose value
// obeys the schema; it is for documents that come from elsewhere. DecodeFile accepts
// exactly the canonical bytes, those that AppendCanonical gives, and at most
// wire.MaxFile of them; it is for files of the catalogue, where a digest of the bytes
// stands for the value. Both refuse what encoding/json lets pass: a name twice or in
// another case, an unknown name, null where the schema has none, text that is not
// UTF-8, anything behind the document. The error is always a *DecodeError.
//
// The other records have the same functions under their own names, such as
// DecodeEmptyV1 and DecodeEmptyV1File; where there are several versions of it, there
// are functions for any of them too, such as DecodeEvidence.
//
// Strings of a decoded value share one block of memory: keeping one of them keeps the
// whole value alive. Values are plain data: they may be copied and read from several
// goroutines, and Host, Owner and OperationIdentity compare with ==.`,
}
