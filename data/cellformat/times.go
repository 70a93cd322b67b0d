// Package cellformat knows how people write numbers, amounts, dates and missing values in the cells of tables, and
// texts that only look like these.
package cellformat

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These are the orders of day and month in 31/12/2020 and 12/31/2020, clocks without a date, and the units of numbers
// that are times.
const (
	DayFirst     = "dmy"
	MonthFirst   = "mdy"
	Clock        = "clock"
	EpochSeconds = "s"  // seconds since 1970
	EpochMillis  = "ms" // milliseconds since 1970
)

// DateOrders returns the values of TableOptions.Dates.
func DateOrders() []string { return []string{"auto", DayFirst, MonthFirst} }

var (
	yearFirstForm = regexp.MustCompile(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})(?:[T ]|$)`)
	basicForm     = regexp.MustCompile(`^(\d{4})()(\d{2})()(\d{2})T`)
	yearLastForm  = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4})(?:[T ]|$)`)
	dayNameForm   = regexp.MustCompile(`^(\d{1,2})([-/ ]?)([A-Za-z]{3,9})\.?([-/ ]?)(\d{4})(?:[T :]|$)`)
	nameDayForm   = regexp.MustCompile(`^([A-Za-z]{3,9})\.?()? (\d{1,2})(),? (\d{4})(?:[T ]|$)`)
	clockForm     = regexp.MustCompile(`^(\d{1,2}:|\d{2})(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?(?: ?([AaPp])\.?[Mm]\.?)?` +
		` ?(?:([zZ]|UTC|GMT)|([-+\x{2212}])(\d{2}):?(\d{2})?)?$`)

	// These forms look like a date or a time of day, but may not be one.
	shortYearForm = regexp.MustCompile(`^(\d{1,2}(?:[/.]\d{1,2}[/.]|[-/ ]?[A-Za-z]{3,9}[-/ ]?))(\d{2}(?:[ :].*)?)$`)
	timeOfDayForm = regexp.MustCompile(`^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?|Z)?$`)
)

// dateShapes are forms of dates, with the parts that hold year, month and day.
var dateShapes = []struct {
	form             *regexp.Regexp
	year, month, day int
}{{yearFirstForm, 1, 3, 5}, {basicForm, 1, 3, 5}, {dayNameForm, 5, 3, 1}, {nameDayForm, 5, 1, 3}}

// ParseTime reads the time of a cell, in seconds since 1970 in UTC; a time without a zone is UTC. form is "dmy" or
// "mdy", the order in 31/12/2020; "" refuses such cells. "s" and "ms" read numbers since 1970. "clock" reads a time of
// day or a duration, in seconds from 0:00. ok is false for a cell that is no time, such as 31 February.
//
//	ParseTime("", "2020-12-31T23:59:59.5+01:00")
//	ParseTime("dmy", "31.12.2020 23:59")
//	ParseTime("clock", "2:09:29")
func ParseTime(form, cell string) (seconds float64, ok bool) {
	if form == EpochSeconds || form == EpochMillis {
		v, err := ParseNumber(cell)
		if form == EpochMillis {
			v /= 1000
		}
		return v, err == nil && v > -1e11 && v < 1e12 // the range is years 0 to 9999, and some more
	}
	if form == Clock {
		if !timeOfDayForm.MatchString(cell) {
			return 0, false
		}
		longest := 100 * 3600.
		if strings.Count(cell, ":") == 1 { // 59:30 may mean minutes and seconds
			longest = secondsPerDay
		}
		return parseClock(cell, longest)
	}
	year, month, day, clock, ok := cutDate(form, cell)
	if !ok {
		return 0, false
	}
	midnight := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if y, m, d := midnight.Date(); y != year || int(m) != month || d != day {
		return 0, false
	}
	seconds, ok = parseClock(clock, secondsPerDay)
	return float64(midnight.Unix()) + seconds, ok
}

// cutDate finds the numbers of a date, and the time of day after it.
func cutDate(form, cell string) (year, month, day int, clock string, ok bool) {
	if !mayBeDate(cell) || strings.HasSuffix(cell, "T") {
		return 0, 0, 0, "", false
	}
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	cut := func(shape *regexp.Regexp) (part []string) {
		if part = shape.FindStringSubmatch(cell); part != nil && part[2] == part[4] {
			clock = strings.TrimLeft(cell[len(part[0]):], " ")
			return part
		}
		return nil
	}
	for _, shape := range dateShapes {
		if part := cut(shape.form); part != nil {
			return number(part[shape.year]), monthOf(part[shape.month]), number(part[shape.day]), clock, true
		}
	}
	part := cut(yearLastForm)
	if part == nil || form != DayFirst && form != MonthFirst {
		return 0, 0, 0, "", false
	}
	day, month = number(part[1]), number(part[3])
	if form == MonthFirst {
		day, month = month, day
	}
	return number(part[5]), month, day, clock, true
}

// mayBeDate excludes most texts at little cost.
func mayBeDate(cell string) bool {
	const shortest, longest = 4, 48
	return len(cell) >= shortest && len(cell) <= longest && strings.ContainsAny(cell, "0123456789")
}

// monthOf numbers a month by its English name or the first three letters; 0 for another word. A number is itself.
func monthOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return 1 + slices.IndexFunc([]time.Month{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, func(m time.Month) bool {
		return strings.EqualFold(word, m.String()) || strings.EqualFold(word, m.String()[:3]) ||
			m == time.September && strings.EqualFold(word, "Sept")
	})
}

const secondsPerDay = 24 * 3600

// parseClock reads the time of day in seconds, the longest at most, less the offset of its zone; "" is midnight.
func parseClock(clock string, longest float64) (seconds float64, ok bool) {
	if clock == "" {
		return 0, true
	}
	part := clockForm.FindStringSubmatch(clock)
	if part == nil {
		return 0, false
	}
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat("0"+text, 64)
		return v
	}
	hour, minute, second := number(strings.TrimSuffix(part[1], ":")), number(part[2]), number(part[3])
	if half := part[5]; half != "" {
		if hour < 1 || hour > 12 {
			return 0, false
		}
		if hour == 12 {
			hour = 0
		}
		if strings.EqualFold(half, "p") {
			hour += 12
		}
	}
	seconds = 3600*hour + 60*minute + second + number("."+part[4])
	offset := 3600*number(part[8]) + 60*number(part[9])
	if part[7] == "+" {
		offset = -offset
	}
	ok = minute < 60 && second < 60 && seconds <= longest && number(part[9]) < 60 && number(part[8]) < 24
	return seconds + offset, ok
}

// LooksLikeTime reports whether the cell has the form of a date or of a time of day. It need not be valid: 31 February
// has that form.
func LooksLikeTime(cell string) bool {
	if !mayBeDate(cell) {
		return false
	}
	if short := shortYearForm.FindStringSubmatch(cell); short != nil {
		cell = short[1] + "20" + short[2]
	}
	_, month, day, _, ok := cutDate(DayFirst, cell)
	ok = ok && min(month, day) > 0 && min(month, day) <= 12 && max(month, day) <= 31
	return ok || timeOfDayForm.MatchString(cell)
}

// OrderOpen reports whether the cell is of the form 31/12/2020; plain reports whether it has points, as in Europe.
func OrderOpen(cell string) (open, plain bool) {
	part := yearLastForm.FindStringSubmatch(cell)
	return part != nil && part[2] == part[4], part != nil && part[2] == "."
}
