package file

// Watched has fn called with the name of every call to the operating system, before it is made.
func Watched(fn func(call string)) Option {
	return func(o *options) {
		sys, err := newSystem()
		if err != nil {
			panic(err)
		}
		o.sys = &trap{system: sys, fault: func(call string) (error, bool) { fn(call); return nil, false }}
	}
}
