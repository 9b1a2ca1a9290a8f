package host_test

// moment is a point of one run at which everything before has happened, and nothing after. Whoever reaches it waits there, so
// the order is always this one.
type moment struct {
	point string
	who   string // owner, front, gate, plugin or child
	kills string // who is killed here in passing, in a story that goes on without them
}

// story is a run with a cell for each of its moments from the index first on, and each of its victims there.
type story struct {
	name    string
	kinds   []string
	moments []moment
	first   int
	victims func(at int, moments []moment) []string
	mover   bool // the child leaves the plugin's control group
	front   bool // the owner has a library start the plugin
}

var acquiring = []moment{
	{"before", "owner", ""},
	{"acquire: staged", "owner", ""},
	{"acquire: claimed", "owner", ""},
	{"acquire: published", "owner", ""},
	{"acquire: settled", "owner", ""},
	{"acquire: memory moved", "owner", ""},
	{"the boundary is built", "owner", ""},
}

var starting = []moment{
	{"the gate is inside", "gate", ""},
	{"the gate is identified", "owner", ""},
	{"the boundary is recorded", "owner", ""},
	{"hostStarting: staged", "owner", ""},
	{"hostStarting: published", "owner", ""},
	{"hostStarting: settled", "owner", ""},
	{"hostStarting: memory moved", "owner", ""},
	{"hostStarted: staged", "owner", ""},
	{"hostStarted: published", "owner", ""},
	{"hostStarted: settled", "owner", ""},
	{"hostStarted: memory moved", "owner", ""},
	{"the gate opens", "owner", ""},
	{"the gate is open", "gate", ""},
	{"the gate has started the plugin", "gate", ""},
	{"the plugin runs", "plugin", ""},
}

var (
	beginning = then(then(acquiring, moment{"the gate starts", "owner", ""}), starting...)
	fronted   = then(then(acquiring, moment{"the front is up", "front", ""}, moment{"the gate starts", "front", ""}), starting...)
)

// holds are the points at which somebody is waited for, and kept, before another point: else they would go on beside each other.
var holds = map[string]string{"the front ends": "nothing is left"}

// runs is the last moment of the beginning in which everybody lives.
var runs = moment{"the plugin leaves a child", "plugin", ""}

var stories = []story{{
	name: "the end is proved", kinds: kinds, victims: everybody,
	moments: then(beginning, runs,
		moment{"the plugin ends", "gate", ""},
		moment{"nothing is left", "gate", ""},
		moment{"the gate leaves its note", "gate", ""},
		moment{"the gate says that nothing is left", "gate", ""},
		moment{"the gate ends", "owner", ""},
		moment{"the boundary is removed", "owner", ""},
		moment{"cleanupComplete: staged", "owner", ""},
		moment{"cleanupComplete: published", "owner", ""},
		moment{"cleanupComplete: settled", "owner", ""},
		moment{"cleanupComplete: memory moved", "owner", ""},
		moment{"release: published", "owner", ""},
		moment{"release: settled", "owner", ""},
		moment{"release: memory moved", "owner", ""},
		moment{"the owner's files are removed", "owner", ""}),
}, {
	name: "the gate is killed", kinds: kinds, victims: ownerAlone, first: len(beginning) + 1,
	moments: then(beginning, moment{runs.point, runs.who, "gate"},
		moment{"the gate ends", "owner", ""},
		moment{"the boundary is removed", "owner", ""},
		moment{"cleanupUnsafe: staged", "owner", ""},
		moment{"cleanupUnsafe: published", "owner", ""},
		moment{"cleanupUnsafe: settled", "owner", ""},
		moment{"cleanupUnsafe: memory moved", "owner", ""}),
}, {
	name: "a library starts the plugin", kinds: kinds, victims: everybody, first: len(acquiring), front: true,
	moments: then(fronted, runs,
		moment{"the plugin ends", "gate", ""},
		moment{"the front ends", "front", ""},
		moment{"nothing is left", "gate", ""},
		moment{"the gate leaves its note", "gate", ""},
		moment{"the gate says that nothing is left", "gate", ""},
		moment{"the gate ends", "owner", ""}),
}, {
	name: "a child leaves its control group", kinds: []string{"cgroup-v2"}, victims: everybody, first: len(beginning), mover: true,
	moments: then(beginning, runs),
}}

func then(begin []moment, more ...moment) []moment {
	return append(append([]moment(nil), begin...), more...)
}

// everybody is each who lives at a moment, and all of them.
func everybody(at int, moments []moment) []string {
	lives := func(from, until string) bool {
		return !before(moments, at, from) && before(moments, at, until)
	}
	out := []string{"owner"}
	if lives("the front is up", "nothing is left") {
		out = append(out, "front")
	}
	if lives("the gate starts", "the gate ends") {
		out = append(out, "gate")
	}
	if lives("the plugin runs", "the plugin ends") {
		out = append(out, "plugin")
	}
	if len(out) > 1 {
		out = append(out, "all")
	}
	return out
}

func ownerAlone(int, []moment) []string { return []string{"owner"} }

// before reports whether the moment at comes before the one of that name, or there is none of it.
func before(moments []moment, at int, point string) bool {
	for i, m := range moments {
		if m.point == point {
			return at < i
		}
	}
	return true
}
