// Package model holds what people wrote of the model: the world with its invariants, and the runs to make.
package model

import _ "embed"

// World is the part of the model that knows the accidents and what must hold through them.
//
//go:embed world.pml
var World string

// Runs lists every run: see the head of the file.
//
//go:embed runs.txt
var Runs string
