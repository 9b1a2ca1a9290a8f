package main

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"

	experiment "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"containlease/gen/leasefile"
	"containlease/schema"
	"containlease/tools/bench/internal/atombender"
)

// way is one way of reading a lease: an error means that it refuses the document.
type way struct {
	name string
	read func(b []byte) error
	v2   bool // it knows version 2 only, so it is asked about documents of that version only
}

const (
	ourValue = "leasefile.Decode"
	ourFile  = "leasefile.DecodeFile and sha256"
	hashOnly = "sha256 alone"
	standard = "encoding/json, DisallowUnknownFields"
)

func ways() ([]way, error) {
	validate, err := validator()
	if err != nil {
		return nil, err
	}
	return []way{
		{ourValue, func(b []byte) error { _, err := leasefile.Decode(b); return err }, false},
		{ourFile, func(b []byte) error { sum = sha256.Sum256(b); _, err := leasefile.DecodeFile(b); return err }, false},
		{hashOnly, func(b []byte) error { sum = sha256.Sum256(b); return nil }, false},
		{standard, func(b []byte) error {
			dec := stdjson.NewDecoder(bytes.NewReader(b))
			dec.DisallowUnknownFields()
			return dec.Decode(new(plainLease))
		}, true},
		{"go-json-experiment/json, RejectUnknownMembers", func(b []byte) error {
			return experiment.Unmarshal(b, new(plainLease), experiment.RejectUnknownMembers(true))
		}, true},
		{"goccy/go-json, DisallowUnknownFields", func(b []byte) error {
			dec := goccy.NewDecoder(bytes.NewReader(b))
			dec.DisallowUnknownFields()
			return dec.Decode(new(plainLease))
		}, true},
		{"go-jsonschema, generated", func(b []byte) error { return stdjson.Unmarshal(b, new(atombender.LeaseV2SchemaJson)) }, true},
		{"santhosh-tekuri/jsonschema, parse and validate", validate, true},
	}, nil
}

// sum keeps the compiler from leaving the hash out.
var sum [32]byte

func validator() (func(b []byte) error, error) {
	const id = "lease-v2.json"
	text, _ := schema.Read("lease-v2")
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(id, document); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(id)
	return func(b []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			return err
		}
		return compiled.Validate(value)
	}, err
}

// plainLease is a lease as one writes it down for a JSON library.
type plainLease struct {
	AcquiredAt  string `json:"acquiredAt"`
	Containment struct {
		Host   *plainProcess `json:"host"`
		Status string        `json:"status"`
	} `json:"containment"`
	Identity struct {
		AdapterID        string `json:"adapterId"`
		BundleSHA256     string `json:"bundleSha256"`
		ContractVersion  int64  `json:"contractVersion"`
		DescriptorSHA256 string `json:"descriptorSha256"`
		HostAPIVersion   int64  `json:"hostApiVersion"`
		ManifestSHA256   string `json:"manifestSha256"`
		Operation        string `json:"operation"`
		PluginID         string `json:"pluginId"`
		PluginVersion    string `json:"pluginVersion"`
		SurfaceID        string `json:"surfaceId"`
		Transport        string `json:"transport"`
	} `json:"identity"`
	LeaseID string `json:"leaseId"`
	Owner   struct {
		BootID         string `json:"bootId"`
		PID            int64  `json:"pid"`
		ProcessStartID string `json:"processStartId"`
		Token          string `json:"token"`
	} `json:"owner"`
	RunID         string `json:"runId"`
	SchemaVersion int    `json:"schemaVersion"`
}

type plainProcess struct {
	BootID         string `json:"bootId"`
	PID            int64  `json:"pid"`
	ProcessStartID string `json:"processStartId"`
}
