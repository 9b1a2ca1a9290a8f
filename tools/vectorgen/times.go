package main

import "containlease/gen/wire"

// lastDay is the number of days of each month in a common year.
var lastDay = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// times walks every rule about dates: the last day of each month and the one after it,
// leap years, the bounds of every number, and other ways of writing a time.
func (b *book) times() {
	const clock = "T02:24:41.123Z"
	day := func(year, month, day int) string { return of("%04d-%02d-%02d%s", year, month, day, clock) }
	var all []spelling
	for i, last := range lastDay {
		month := i + 1
		all = append(all, right(of("month-%02d-last", month), day(2023, month, last)), right(of("month-%02d-first", month), day(2023, month, 1)),
			wrongAt(of("month-%02d-after", month), day(2023, month, last+1), 9), wrongAt(of("month-%02d-day-00", month), day(2023, month, 0), 9))
	}
	for _, year := range []int{0, 4, 96, 400, 1600, 1996, 2000, 2004, 2024, 2096, 2400, 9996} {
		all = append(all, right(of("leap-%04d", year), day(year, 2, 29)), wrongAt(of("leap-%04d-30", year), day(year, 2, 30), 8))
	}
	for _, year := range []int{1, 2, 3, 100, 1700, 1800, 1900, 2023, 2025, 2026, 2100, 2200, 2300, 9900, 9999} {
		all = append(all, wrongAt(of("common-%04d", year), day(year, 2, 29), 9), right(of("common-%04d-28", year), day(year, 2, 28)))
	}
	all = append(all, clocks()...)
	for i := range all {
		// Day 3x of February breaks at its first digit, whatever the year.
		if s := &all[i]; s.code != "" && s.at == 9 && s.text[5:9] == "02-3" {
			s.at = 8
		}
		b.spelled("time", "/acquiredAt", all[i])
	}
}

func clocks() []spelling {
	const date = "2026-11-30"
	all := []spelling{
		right("first", "0000-01-01T00:00:00.000Z"), right("last", "9999-12-31T23:59:59.999Z"),
		wrongAt("month-00", "2026-00-01T00:00:00.000Z", 6), wrongAt("month-13", "2026-13-01T00:00:00.000Z", 6), wrongAt("month-20", "2026-20-01T00:00:00.000Z", 5),
		wrongAt("day-32", "2026-01-32T00:00:00.000Z", 9), wrongAt("day-40", "2026-01-40T00:00:00.000Z", 8),
		right("hour-23", date+"T23:00:00.000Z"), wrongAt("hour-24", date+"T24:00:00.000Z", 12), wrongAt("hour-30", date+"T30:00:00.000Z", 11),
		wrongAt("minute-60", date+"T00:60:00.000Z", 14), wrongAt("second-60", date+"T00:00:60.000Z", 17), wrongAt("second-61", date+"T23:59:61.000Z", 17),
		wrongAt("leap-second", "2016-12-31T23:59:60.000Z", 17),
		ends("empty", ""), ends("date-only", date), ends("no-zone", date+"T00:00:00.000"), wrongAt("no-millis", date+"T00:00:00Z", 19), wrongAt("one-digit", date+"T00:00:00.0Z", 21),
		wrongAt("micros", date+"T00:00:00.000000Z", 23), wrongAt("comma", date+"T00:00:00,000Z", 19), wrongAt("lower-t", date+"t00:00:00.000Z", 10), wrongAt("lower-z", date+"T00:00:00.000z", 23),
		wrongAt("blank", date+" 00:00:00.000Z", 10), wrongAt("offset", date+"T00:00:00.000+00:00", 23), wrongAt("basic", "20261130T000000.000Z", 4), wrongAt("short-year", "26-11-30T00:00:00.000Z", 2),
		wrongAt("five-digits", "12026-11-30T00:00:00.000Z", 4), wrongAt("plus-year", "+002026-11-30T00:00:00.000Z", 0), wrongAt("minus-year", "-0001-11-30T00:00:00.000Z", 0),
		wrongAt("week", "2026-W48-1T00:00:00.000Z", 5), wrongAt("arabic-digit", "٢026-11-30T00:00:00.000Z", 0), wrongAt("fullwidth-digit", "2０26-11-30T00:00:00.000Z", 1),
		{"twice", date + "T00:00:00.000Z" + date, wire.Length, 24}, wrongAt("blank-first", " "+date+"T00:00:00.000Z", 0), wrongAt("hour-ab", date+"Tab:00:00.000Z", 11),
	}
	return all
}
