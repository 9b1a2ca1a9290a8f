package file

// Touched is which records of a home may have changed, leases or what lies beside them in owners/, as a Notifier tells it:
// whoever hears of it looks for himself. A Notifier changes nothing, takes no lock, needs no more than leave to read, and is
// used by one goroutine. A liveness lock that is let go when its holder dies is no change of a file.
type Touched struct {
	Keys []string // of records, as Entry.Key has them, each once; nothing where the pause passed and nothing was heard of
	All  bool     // it cannot be told which: everything may have changed
}

// keyOfLease is the key that a name in leases/ is listed under, ok unless the name is a store's own.
func keyOfLease(name string) (key string, ok bool) {
	if key, ok = recordKey(name); ok {
		return key, true
	}
	_, ours := helperKey(name)
	return printable(name), !ours && name != ""
}
