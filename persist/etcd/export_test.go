package etcd

import "containlease/gen/leasefile"

// SharedServer is the tests' server, for examples.
func SharedServer() string { return shared }

// SampleIdentity is a valid identity, for examples.
func SampleIdentity() leasefile.OperationIdentity { return sample(newMachine(), "").Identity }
