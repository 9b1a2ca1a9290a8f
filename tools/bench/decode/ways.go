package main

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"
	"errors"

	experiment "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"containlease/gen/leasefile"
	"containlease/schema"
	"containlease/tools/bench/decode/internal/atombender"
)

// way is one way of reading a lease: an error means that it refuses the document.
type way struct {
	name string
	read func(b []byte) error
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
		{ourValue, func(b []byte) error { _, err := leasefile.Decode(b); return err }},
		{ourFile, func(b []byte) error {
			if err := hash(b); err != nil {
				return err
			}
			_, err := leasefile.DecodeFile(b)
			return err
		}},
		{hashOnly, hash},
		{standard, func(b []byte) error {
			dec := stdjson.NewDecoder(bytes.NewReader(b))
			dec.DisallowUnknownFields()
			return dec.Decode(new(plainLease))
		}},
		{"go-json-experiment/json, RejectUnknownMembers", func(b []byte) error {
			return experiment.Unmarshal(b, new(plainLease), experiment.RejectUnknownMembers(true))
		}},
		{"goccy/go-json, DisallowUnknownFields", func(b []byte) error {
			dec := goccy.NewDecoder(bytes.NewReader(b))
			dec.DisallowUnknownFields()
			return dec.Decode(new(plainLease))
		}},
		{"go-jsonschema, generated", func(b []byte) error { return stdjson.Unmarshal(b, new(atombender.LeaseV2SchemaJson)) }},
		{"santhosh-tekuri/jsonschema, parse and validate", validate},
	}, nil
}

var errZero = errors.New("the hash is zero")

// hash uses the sum, so that the compiler cannot leave it out.
func hash(b []byte) error {
	if sha256.Sum256(b) == [32]byte{} {
		return errZero
	}
	return nil
}

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
