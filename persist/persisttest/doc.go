// Package persisttest tests stores, and what stands on them.
//
//	persisttest.Run(t, func(t *testing.T) persist.Store { ... })   // every rule that package persist states of a Store
//	f := persisttest.NewFaulty(store)                              // the same store, behind a bad connection
//	f.Next(persisttest.LandsLate)                                  // what happens to the next write
//
// Keys are lower-case UUIDs of version 4, which every store here takes.
package persisttest
