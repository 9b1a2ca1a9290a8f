// Package etcd keeps the leases of many machines in one etcd cluster: the same bytes, the same digests, under
// compare-and-swap.
//
//	/containlease/v1/machines/<machineId>                    the machine's record          [Open]
//	/containlease/v1/machines/<machineId>/leases/<leaseId>   exactly the lease's bytes     [Store]
//
// A [Store] is opened for one machine and sees and writes that machine's leases only. Locks, liveness and evidence stay
// in the state home on that machine (package persist/file), for a question about a process means nothing elsewhere. A
// [Fleet] reads and watches the leases of all machines and has no way to write: "its boot is over" may be concluded by
// the machine that wrote the lease, and by nobody else. [Retire] is an operator's word that a machine never returns.
//
// These leases are not etcd's: they never have a time to live, and nothing is ever cleared by age.
//
// # Writing
//
// Every write is one transaction and durable on a majority when it is answered, so there is nothing left to settle. It
// compares the old bytes, and with them the machine's record: a process from before a reboot, or the clone of
// a machine, is refused with [ErrFenced] and has written nothing. A removal only deletes, so a full etcd can be drained.
//
// A reply may be lost, and the request may still be carried out, even after the old bytes were read back. Until its
// deadline the store sends the same bytes again under the same condition, which is safe for Replace and Remove: their
// condition, once it has failed, fails for ever. That is not so for Create, whose condition is an absence that a later
// removal restores: a copy held up somewhere would bring a released lease back. So a Create is also made on the
// condition of the revision of the machine's record, and before it is sent again the record is written anew, unchanged:
// copies sent earlier can never land after that. At the deadline the outcome is [persist.ErrUnsettled].
//
// # Reading
//
// A listing reads pages, all as of one revision. A watch goes on from a revision; where etcd has compacted it away, the
// fleet is listed again. Where the server refuses (authentication, space, size) the answer is definite and is the cause.
package etcd
