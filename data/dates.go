package data

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Date is a column of dates or times. It becomes the elapsed time, in days since Start, and for each of Cycles the
// cosine and the sine of the phase. Times without a date count from 0:00, as if they were of the first day of 1970.
type Date struct {
	Column string   `json:"column"`
	Form   string   `json:"form,omitempty"`   // form as ParseTime takes it
	Start  float64  `json:"start"`            // the earliest time in the training file, in seconds since 1970
	Cycles []string `json:"cycles,omitempty"` // any of day, week and year
}

// cycle is a period in the calendar. Phases count from a Monday, 1970-01-05.
type cycle struct {
	name    string
	seconds float64
}

const secondsPerDay = 24 * 3600

// cycles are all cycles that dates can have. A year is the mean year of the Gregorian calendar.
var cycles = []cycle{{"day", secondsPerDay}, {"week", 7 * secondsPerDay}, {"year", 365.2425 * secondsPerDay}}

// PhaseOrigin is a time in seconds since 1970 at which each cycle begins, a Monday.
const PhaseOrigin = 4 * secondsPerDay

// phase returns the place of a time in a cycle, in [0, 1).
func (c cycle) phase(seconds float64) float64 {
	turns := (seconds - PhaseOrigin) / c.seconds
	return turns - math.Floor(turns)
}

// isText reports whether the times are texts, not numbers.
func (d *Date) isText() bool {
	return d.Form != cellformat.EpochSeconds && d.Form != cellformat.EpochMillis
}

// Seconds returns the time of a number v in a column of numbers.
func (d *Date) Seconds(v float64) float64 {
	if d.Form == cellformat.EpochMillis {
		return v / 1000
	}
	return v
}

// Periods returns the lengths of the column's cycles, in seconds. Their phase is 0 at PhaseOrigin.
func (d *Date) Periods() (periods []float64) {
	for _, c := range cycles {
		if slices.Contains(d.Cycles, c.name) {
			periods = append(periods, c.seconds)
		}
	}
	return periods
}

// names returns the names of the inputs that follow the elapsed time.
func (d *Date) names() (names []string) {
	if d == nil {
		return nil
	}
	for _, name := range d.Cycles {
		names = append(names, d.Column+"=cos "+name, d.Column+"=sin "+name)
	}
	return names
}

// append adds the inputs of a time. For a missing time, v is the elapsed time, and the phases are in the middle of each
// circle.
func (d *Date) append(to []float64, v float64, missing bool) []float64 {
	if missing {
		return append(append(to, v), make([]float64, 2*len(d.Cycles))...)
	}
	to = append(to, (v-d.Start)/secondsPerDay)
	for _, c := range cycles {
		if slices.Contains(d.Cycles, c.name) {
			sin, cos := math.Sincos(2 * math.Pi * c.phase(v))
			to = append(to, cos, sin)
		}
	}
	return to
}

// parse reads the time in a cell, NaN for a missing one; false for a cell that is not a time.
func (d *Date) parse(cell string) (seconds float64, ok bool) {
	cell = strings.TrimSpace(cell)
	if cellformat.IsNoNumber(cell) {
		return math.NaN(), true
	}
	return cellformat.ParseTime(d.Form, cell)
}

// like describes the column, for the error about a cell that it cannot have.
func (d *Date) like(cell string) string {
	example := map[string]string{cellformat.DayFirst: "31/12/2020", cellformat.MonthFirst: "12/31/2020",
		cellformat.Clock: "23:59:59", cellformat.EpochSeconds: "1609459199",
		cellformat.EpochMillis: "1609459199000"}[d.Form]
	if example == "" {
		example = "2020-12-31 23:59"
	}
	for _, form := range cellformat.DateOrders() {
		if _, ok := cellformat.ParseTime(form, cell); ok {
			return "which is a date in another form than those of training, such as " + example
		}
	}
	if d.Form == cellformat.Clock {
		return "which is not a time such as " + example
	}
	return "which is not a date of the calendar in a form such as " + example
}

// sound reports whether a training set can have had such a column.
func (d *Date) sound() bool {
	return !math.IsNaN(d.Start) && !math.IsInf(d.Start, 0) && len(d.Cycles) <= len(cycles) &&
		!slices.ContainsFunc(d.Cycles, func(name string) bool {
			return !slices.ContainsFunc(cycles, func(c cycle) bool { return c.name == name })
		})
}

// dates are the findings about times in the cells of a column.
type dates struct {
	texts       occurrences // cells that look like dates
	ambiguous   occurrences // cells such as 1/2/2020, which may mean two days
	unambiguous bool        // a cell has day, month and year in either order
	// times with the day first, with the month first, and without a date; for numbers, in seconds and in milliseconds
	spans [3]dateSpan
}

// dateSpan is the range of the times of a column in one order of day and month.
type dateSpan struct {
	invalid    int // texts that are not dates in this order
	low, high  float64
	begun      bool
	start      float64 // the first time
	last       float64
	descending bool    // a time is before the one above it
	varying    [3]bool // cycles whose phases differ from the phase of the first time
}

func (d *dates) add(rec *records, i int, cell string) {
	d.texts.countCell(rec, i, cell)
	open, points := cellformat.OrderOpen(cell)
	d.unambiguous = d.unambiguous || open
	if open && !points {
		d.ambiguous.countCell(rec, i, cell)
	}
	for k, form := range []string{cellformat.DayFirst, cellformat.MonthFirst, cellformat.Clock} {
		if v, ok := cellformat.ParseTime(form, cell); ok {
			d.spans[k].add(v)
		} else {
			d.spans[k].invalid++
		}
	}
}

func (s *dateSpan) add(v float64) {
	const seen = 1. / 20 // share of a cycle
	if !s.begun {
		*s = dateSpan{invalid: s.invalid, low: v, high: v, begun: true, start: v, last: v}
	}
	s.descending = s.descending || s.begun && v < s.last
	s.last = v
	s.low, s.high = min(s.low, v), max(s.high, v)
	for k, c := range cycles {
		turn := math.Abs(c.phase(v) - c.phase(s.start))
		s.varying[k] = s.varying[k] || min(turn, 1-turn) > seen
	}
}

// date makes the column from the times in it. Its cycles occur twice at least, and have different phases. Times of day
// have a cycle if they cover half of it; longer times are durations.
func (s *dateSpan) date(column, form string) *Date {
	d := &Date{Column: column, Form: form, Start: s.low}
	if form == cellformat.Clock {
		if s.high <= secondsPerDay && s.high-s.low >= secondsPerDay/2 {
			d.Cycles = []string{"day"}
		}
		return d
	}
	for k, c := range cycles {
		if s.varying[k] && s.high-s.low >= 2*c.seconds {
			d.Cycles = append(d.Cycles, c.name)
		}
	}
	return d
}

// order finds the order of day and month: the requested one, else the one in which more cells are dates. Points stand
// after the day. The order is not known if all cells such as 1/2/2020 are dates in both.
func (d *dates) order(requested string) (form string, known bool) {
	fewer := d.spans[1].invalid - d.spans[0].invalid
	switch {
	case !d.unambiguous:
		return "", true
	case requested == cellformat.DayFirst, requested == cellformat.MonthFirst:
		return requested, true
	case fewer < 0:
		return cellformat.MonthFirst, true
	}
	return cellformat.DayFirst, fewer > 0 || d.ambiguous.cell == ""
}

// spanOf returns the times in an order of day and month.
func (d *dates) spanOf(form string) *dateSpan {
	return &d.spans[max(0, slices.Index([]string{"", cellformat.MonthFirst, cellformat.Clock}, form))]
}

var epochName = regexp.MustCompile(`(?i)^(unix|epoch)([_ -]?(time|timestamp|s|sec|seconds|ms|millis|milliseconds))*$|` +
	`^timestamp([_ -]?(s|sec|seconds|ms|millis|milliseconds|utc|unix))*$|[_ -](epoch|timestamp|unix|unixtime)$`)

// epoch returns a column of numbers that are times by its name, if all are of the years 1973 to 2286; else nil.
func (c *columnProfile) epoch(name string) *Date {
	switch {
	case !c.isEpoch || c.texts.n > 0 || c.numbers == 0:
		return nil
	case c.low >= 1e8 && c.high < 1e10:
		return c.dates.spans[0].date(name, cellformat.EpochSeconds)
	case c.low >= 1e11 && c.high < 1e13:
		return c.dates.spans[1].date(name, cellformat.EpochMillis)
	}
	return nil
}

// asDate writes a number of the column as a date, if all numbers are days such as 20201231; else "".
func (c *columnProfile) asDate() string {
	if c.texts.n > 0 || c.fractions.cell != "" || c.low < 19000101 || c.high > 21001231 || c.low == c.high {
		return ""
	}
	first := ""
	for cell := range c.seen {
		if len(cell) != len("20201231") {
			return ""
		}
		date := cell[:4] + "-" + cell[4:6] + "-" + cell[6:]
		if _, ok := cellformat.ParseTime("", date); !ok {
			return ""
		}
		first = cmp.Or(min(first, date), date)
	}
	return first
}

// dateForm finds the order of day and month in column i. The error is about the first date that leaves it open, or
// about the first cell if no cell is a date.
func (c *columnProfile) dateForm(rec *records, i int, otherwise string) (form string, err error) {
	name := rec.columnName(i)
	form, known := c.dates.order(cmp.Or(strings.TrimPrefix(rec.opt.Dates, "auto"), rec.dateOrder(i)))
	if !known {
		return "", rec.errorAt(c.dates.ambiguous.at,
			"found the date %s in column %s: is the day or the month first? Say "+
				"which by %s=dmy or %s=mdy", phrase.Quote(c.dates.ambiguous.cell), phrase.Quote(name), asKey("dates"),
			asKey("dates"))
	}
	if c.dates.spanOf(form).begun {
		return form, nil
	}
	first := c.dates.texts
	if first.cell == "" {
		first = c.firstText()
	}
	hours := ""
	if clock := strings.Index(first.cell, ":"); clock == 1 || clock == 2 { // a time of day or a duration
		hours = "as a number of minutes or hours, or "
	}
	return "", rec.errorAt(first.at, "found %s in column %s, which cannot be read as a date: write it %slike "+
		"2020-12-31 23:59, with a year of four digits, or %s", phrase.Quote(first.cell), phrase.Quote(name), hours,
		otherwise)
}

func (l *layout) addDates(rec *records, c *columnProfile, i int) (err error) {
	form := cellformat.Clock
	if clocks := c.dates.spanOf(form); !clocks.begun || c.dates.spans[0].begun || c.dates.spans[1].begun {
		flag := flagWord(rec.columnName(i), i)
		form, err = c.dateForm(rec, i, "read the column as words by "+asKey("text")+"="+flag+", or leave it out with "+
			asFlag("ignore")+" "+flag)
		if err != nil {
			return err
		}
	}
	s := c.dates.spanOf(form)
	l.addDate(i, s.date(rec.columnName(i), form), s)
	return nil
}

// after writes the time that is some days after Start, as people write it.
func (d *Date) after(days float64) string {
	at := time.UnixMilli(int64(math.Round((d.Start + days*secondsPerDay) * 1000))).UTC()
	if d.Form == cellformat.Clock {
		return strconv.Itoa(24*(at.YearDay()-1)+at.Hour()) + at.Format(":04:05")
	}
	return strings.TrimSuffix(at.Format("2006-01-02 15:04:05.999"), " 00:00:00")
}

// addDate adds the inputs of a column of dates, and a note about them.
func (l *layout) addDate(i int, d *Date, s *dateSpan) {
	form := map[string]string{cellformat.DayFirst: ", with the day first",
		cellformat.MonthFirst:   ", with the month first",
		cellformat.EpochSeconds: ", as seconds since 1970",
		cellformat.EpochMillis:  ", as milliseconds since 1970"}[d.Form]
	kind, in := "dates", ""
	if len(d.Cycles) > 0 {
		in = fmt.Sprintf(", and where it stands in each %s", strings.Join(d.Cycles, ", "))
	}
	if d.Form == cellformat.Clock {
		kind = "times"
	} else if s.low < s.high && !s.descending && !l.hasRole("time") {
		in += fmt.Sprintf(" (the rows are in this order: %s %s tests on the later ones)", asFlag("time"),
			flagWord(d.Column, i))
	}
	l.note("column %s is of %s%s and becomes days since %s%s", phrase.Quote(d.Column), kind, form, d.after(0), in)
	l.add(i, InputColumn{Name: d.Column, Date: d})
}

// Formatter returns the function that formats the values of input j; dates are written as dates.
func (d *Dataset) Formatter(j int) func(v float64) string {
	if date := d.schema.dates()[d.Columns[j]]; date != nil {
		return date.after
	}
	return func(v float64) string { return fmt.Sprintf("%.6g", v) }
}
