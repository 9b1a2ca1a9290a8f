package wire

// Tag reads the member that tells the variants of a union apart. variants holds,
// for each word, the set of variants it stands for.
func (s *Scanner) Tag(o *Object, v *Vocabulary, variants []uint32) string {
	if s.err != nil {
		return ""
	}
	var allowed uint32
	for i, set := range variants {
		if set&o.alive != 0 {
			allowed |= 1 << i
		}
	}
	i, ok := s.oneOf(v, allowed)
	if !ok {
		return ""
	}
	o.narrow(variants[i])
	return v.Words[i]
}

// Version reads the number that tells the versions of a document apart: variant v
// is version v+1.
func (s *Scanner) Version(o *Object) {
	if s.err != nil {
		return
	}
	// Versions that share a name are neighbours, so those alive are a range: the
	// generator refuses a name that is dropped and comes back.
	d := Int{Expect: "a version this program knows"}
	for v := range o.shape.Has {
		if o.alive>>v&1 == 1 {
			d.Max = int64(v) + 1
			if d.Min == 0 {
				d.Min = d.Max
			}
		}
	}
	if n := s.Integer(&d); s.err == nil {
		o.narrow(1 << (n - 1))
	}
}

// Variant returns the variant that the object is, once Next has returned false
// without an error.
func (o *Object) Variant() int {
	for v, has := range o.shape.Has {
		if o.alive>>v&1 == 1 && has == o.seen {
			return v
		}
	}
	return -1
}
