// Package picture draws the lifecycle as SVG. Where a state stands and how an arrow bends is laid out by hand; which states
// and arrows there are comes from fsm, and the drawing fails where the layout lacks one.
package picture

import "containlease/fsm"

type point struct{ x, y float64 }

// The size of the drawing and of a state's box.
const (
	width, height = 960, 450
	boxW, boxH    = 172, 48
)

// centre is where each state stands: a life runs from left to right, unsafe above it, complete below.
var centre = map[fsm.State]point{
	fsm.StateAbsent:          {98, 225},
	fsm.StateParentOwned:     {346, 225},
	fsm.StateHostStarting:    {604, 225},
	fsm.StateHostActive:      {862, 225},
	fsm.StateCleanupUnsafe:   {604, 60},
	fsm.StateCleanupComplete: {604, 390},
	fsm.StateReleased:        {98, 390},
}

// curve is an arrow's way: from, two control points, to; and where its label stands.
type curve struct {
	from, c1, c2, to, label point
}

// layout knows every arrow of the table by state and event.
var layout = map[fsm.State]map[fsm.Event]curve{
	fsm.StateAbsent:          {fsm.Acquire: straight(point{184, 225}, point{260, 225}, point{222, 213})},
	fsm.StateCleanupComplete: {fsm.Release: straight(point{518, 390}, point{184, 390}, point{346, 378})},
	fsm.StateParentOwned: {
		fsm.HostStarting:    straight(point{432, 225}, point{518, 225}, point{475, 213}),
		fsm.CleanupUnsafe:   {point{346, 201}, point{346, 110}, point{420, 60}, point{518, 60}, point{334, 90}},
		fsm.CleanupComplete: {point{346, 249}, point{346, 330}, point{420, 380}, point{518, 380}, point{318, 334}},
	},
	fsm.StateHostStarting: {
		fsm.HostStarted:     straight(point{690, 225}, point{776, 225}, point{733, 213}),
		fsm.CleanupUnsafe:   straight(point{604, 201}, point{604, 84}, point{604, 147}),
		fsm.CleanupComplete: straight(point{604, 249}, point{604, 366}, point{604, 312}),
	},
	fsm.StateHostActive: {
		fsm.CleanupUnsafe:   {point{862, 201}, point{862, 110}, point{788, 60}, point{690, 60}, point{874, 90}},
		fsm.CleanupComplete: {point{862, 249}, point{862, 330}, point{788, 390}, point{690, 390}, point{892, 352}},
	},
}

// straight is a curve that is a line.
func straight(from, to, label point) curve {
	third := point{(to.x - from.x) / 3, (to.y - from.y) / 3}
	return curve{from, point{from.x + third.x, from.y + third.y}, point{to.x - third.x, to.y - third.y}, to, label}
}

// tone is the class of a state: what it means to the plugin.
func tone(s fsm.State) string {
	switch s {
	case fsm.StateAbsent, fsm.StateReleased:
		return "free"
	case fsm.StateCleanupUnsafe:
		return "unsafe"
	case fsm.StateCleanupComplete:
		return "complete"
	}
	return "held"
}
