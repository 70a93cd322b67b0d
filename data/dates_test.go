package data

import (
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Dates become days since the first, and where they stand in the cycles that they cover twice.
func TestDates(t *testing.T) {
	daily := "when,y\n"
	for day := range 20 {
		daily += "2024-03-" + []string{"0", ""}[min(1, (day+1)/10)] + phrase.Number(float64(day+1)) + ",1." +
			phrase.Number(float64(day)) + "\n"
	}
	d, notes, err := readText(daily, ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.Columns, []string{"when", "when=cos week", "when=sin week"})
	// 2024-03-04 is a Monday
	if row := d.Row(3); row[0] != 3 || math.Abs(row[1]-1) > 1e-9 || math.Abs(row[2]) > 1e-9 {
		t.Errorf("a Monday is %v, want 3, 1, 0", row)
	}
	must.Contain(t, strings.Join(notes, "\n"),
		`column "when" is of dates and becomes days since 2024-03-01, and where it stands in each week`)
	like := d.Schema()
	got, _, err := readText("y,when\n1,2024-03-05T12:00+02:00\n", ReadOptions{Schema: &like})
	if err != nil || math.Abs(got.Row(0)[0]-(4+10./24)) > 1e-9 {
		t.Errorf("10:00 on day 4 is %v, %v", got, err)
	}
	rows := must.Get(like.Rows(Request{N: 1, Texts: map[string][]string{"when": {"2024-03-05 10:00"}}}))(t)
	must.Equal(t, rows.Row(0), got.Row(0))
}

// What a column of dates becomes, or the error about it.
func TestColumnsOfDates(t *testing.T) {
	column := func(name string, cells ...string) string {
		text := name + ",y\n"
		for i, c := range cells {
			text += c + "," + phrase.Number(float64(i)+0.5) + "\n"
		}
		return text
	}
	for _, c := range []struct {
		text, want string // inputs, or a part of the error
		opt        TableOptions
	}{
		{column("d", "31/12/2020", "1/2/2021"), "d d=cos week d=sin week", TableOptions{}},
		{column("d", "12/31/2020", "1/2/2021"), "d", TableOptions{}},
		{column("d", "3/12/2020", "1/2/2021"), `t.csv:2:1: found the date "3/12/2020" in column "d": is the day or ` +
			`the month first? Say which by --set dates=dmy or --set dates=mdy`, TableOptions{}},
		{column("d", "3/12/2020", "1/2/2021"), "d d=cos week d=sin week", TableOptions{Dates: "mdy"}},
		{column("d", "3.12.2020", "1.2.2021"), "d d=cos week d=sin week", TableOptions{}},
		{column("d", "3/12/2020", "12/31/2020"), `t.csv:3:1: found "12/31/2020" in column "d", which is a date ` +
			"in another form than those of training, such as 31/12/2020",
			TableOptions{Dates: "dmy"}},
		{column("d", "2020-02-30", "2020-02-28", "2020-02-29"),
			`t.csv:2:1: found "2020-02-30" in column "d", which is not a date of the calendar`, TableOptions{}},
		{column("d", "2020-02-28", "soon", "2020-02-29"), `t.csv:3:1: found "soon"`, TableOptions{}},
		{column("d", "2020-02-28", "", "2020-02-29"), `t.csv:3:1: cells are missing, in "d" 1`, TableOptions{}},
		{column("d", "2020-02-28", "-", "2020-02-29"), "d d=missing", TableOptions{Missing: MissingImpute}},
		{column("d", "2020-02-28", "", "2020-02-29"), "d", TableOptions{Missing: MissingDrop}},
		{column("d", "3/4/20", "3/5/20"), `t.csv:2:1: found "3/4/20" in column "d", which cannot be read as a date`,
			TableOptions{}},
		{column("d", "1-Jan-20", "2-Jan-20"),
			`t.csv:2:1: found "1-Jan-20" in column "d", which cannot be read as a date`, TableOptions{}},
		{column("d", "31DEC20:10:30", "1JAN21:11:30"),
			`t.csv:2:1: found "31DEC20:10:30" in column "d", which cannot be`, TableOptions{}},
		{column("d", "10:30", "11:30"), "d", TableOptions{}},
		{column("d", "2:10:30 am", "11:30 pm"), "d d=cos day d=sin day", TableOptions{}},
		{column("d", "2:10:30", "50:30:00"), "d", TableOptions{}},
		{column("d", "10:30", "-", "11:30"), "d d=missing", TableOptions{Missing: MissingImpute}},
		{column("d", "5:30 p.m.", "11:30Z"), "d", TableOptions{}},
		{column("d", "10:30", "soon", "11:30"), `t.csv:3:1: found "soon" in column "d", which is not a time such as ` +
			"23:59:59", TableOptions{}},
		{column("d", "10:30", "59:30"), `t.csv:3:1: found "59:30" in column "d", which is not a time`, TableOptions{}},
		{column("d", "2020-01-01", "10:30"), `t.csv:3:1: found "10:30" in column "d", which is not a date`,
			TableOptions{}},
		{column("d", "45:30", "59:30"), `t.csv:2:1: found "45:30" in column "d", which cannot be read as a date: ` +
			"write it as a number of minutes or hours, or like 2020-12-31 23:59, with a year of four digits, or read " +
			"the column as words by --set text=d, or leave it out with --ignore d", TableOptions{}},
		{column("d", "2020-01-01 00:00", "2020-01-01 18:00", "2020-01-03"), "d d=cos day d=sin day", TableOptions{}},
		{column("d", "2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"), "d d=cos week d=sin week",
			TableOptions{}},
		{column("timestamp", "1500000000", "1500040000", "1500500000"), "timestamp timestamp=cos day timestamp=sin day",
			TableOptions{}},
		{column("unix_ms", "1500000000000", "1500000001000"), "unix_ms", TableOptions{}},
		{column("d", "2020-01-01", "2020-01-02"), `there is no order of dates "ymd"`, TableOptions{Dates: "ymd"}},
	} {
		got := ""
		opt := ReadOptions{TableOptions: c.opt}
		if c.opt.Dates != "" {
			if err := opt.TableOptions.check(); err != nil {
				got = err.Error()
			}
		}
		if d, _, err := readText(c.text, opt); got == "" && err != nil {
			got = err.Error()
		} else if got == "" {
			got = strings.Join(d.Columns, " ")
			if like := d.Schema(); like.Check() != nil || len(like.Dates) != 1 {
				t.Errorf("%q: the schema %+v has %d dates", c.text, like, len(like.Dates))
			}
		}
		if !strings.Contains(got, c.want) || strings.HasPrefix(c.want, "d") && got != c.want {
			t.Errorf("%s%+v:\n%s, want\n%s", c.text, c.opt, got, c.want)
		}
	}
	if d, _, err := readText(column("d", "08:00-16:00", "22:00-06:00", "08:00-16:00"), ReadOptions{}); err != nil ||
		d.Schema().Dates != nil {
		t.Errorf("ranges of hours: %v, %v, want words", d, err)
	}
	for _, plain := range []string{column("timestamp", "1", "2.5"), column("value", "1500000000", "1500000001"),
		column("timestamps_per_day", "1500000000", "1500000001")} {
		if d, _, err := readText(plain, ReadOptions{}); err != nil || d.Schema().Dates != nil {
			t.Errorf("%q: %v, %v, want numbers", plain, d, err)
		}
	}
}

// Times without a date become days from the earliest, at training, in a request and as a number of seconds.
func TestTimesOfDay(t *testing.T) {
	d, notes, err := readText("start,y\n06:00,1\n18:30:00,2\n12:00,3.5\n", ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.Row(1)[0], 12.5/24)
	must.Contain(t, strings.Join(notes, "\n"), `column "start" is of times and becomes days since 6:00:00, and where `+
		`it stands in each day`)
	must.Equal(t, d.Formatter(0)(12.5/24), "18:30:00")
	like := d.Schema()
	rows := must.Get(like.Rows(Request{N: 1, Texts: map[string][]string{"start": {"6:30 PM"}}}))(t)
	must.Equal(t, rows.Row(0), d.Row(1))
}

// Seconds since 1970 may have a decimal comma, as other numbers of their table have.
func TestSecondsWithComma(t *testing.T) {
	d := dataset(readText("timestamp;y\n1500000000,5;0,5\n1500043200,5;1,5\n1500086400,5;2\n", ReadOptions{}))(t)
	must.Equal(t, d.Row(1)[0], 0.5)
}

// Numbers such as 20240131 stay numbers, and a note says how they become dates.
func TestNumbersLikeDates(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"day,y\n20240131,1.5\n20240201,2\n20231231,3\n", true},
		{"day,y\n20240131,1.5\n20240231,2\n20231231,3\n", false},
		{"day,y\n20240131,1.5\n20240131,2\n20240131,3\n", false},
	} {
		_, notes, err := readText(c.text, ReadOptions{})
		const want = "written as 2023-12-31 they become days"
		if err != nil || strings.Contains(strings.Join(notes, "\n"), want) != c.want {
			t.Errorf("%q: %q, %v", c.text, notes, err)
		}
	}
}

// A note names a column whose whole numbers collapse in double precision.
func TestCollapse(t *testing.T) {
	for cells, want := range map[string]bool{"9007199254740992 9007199254740993": true,
		"9007199254740992 9007199254740994": false, "9007199254740993 9007199254740993": false,
		"1e16 10000000000000000": false, "-18014398509481985 -18014398509481984": true} {
		first, second, _ := strings.Cut(cells, " ")
		_, notes, err := readText("big,b,y\n"+first+",1,1.5\n"+second+",3,2\n", ReadOptions{})
		all := strings.Join(notes, "\n")
		if err != nil || want != strings.Contains(all, `column "big" has whole numbers that differ`) {
			t.Errorf("%s: %q, %v", cells, notes, err)
		}
	}
}

// A cell that is missing has the median of the others, in the middle of its cycles.
func TestMissingDates(t *testing.T) {
	d := dataset(readText("d,y\n2020-01-01,1.5\n2020-01-12,2\n,3\n2020-01-31,4\n", ReadOptions{
		TableOptions: TableOptions{Missing: MissingImpute}}))(t)
	impute(d)
	must.Equal(t, d.Row(2), []float64{11, 0, 0, 1})
	like := d.Schema()
	rows := must.Get(like.Rows(Request{N: 1, Texts: map[string][]string{"d": {""}}}))(t)
	must.Equal(t, rows.Row(0), d.Row(2))
}

// A date in another form than those of training is one of the calendar.
func TestOtherForm(t *testing.T) {
	like := dataset(readText("d,y\n2023-01-15,1.5\n2023-11-19,2\n", ReadOptions{}))(t).Schema()
	for _, cell := range []string{"15.01.2023", "19/11/2023"} {
		_, _, err := readText("d\n"+cell+"\n", ReadOptions{Schema: &like, TargetOptional: true})
		wantError(t, cell, err, strings.Contains, "which is a date in another form than those of training, such as "+
			"2020-12-31 23:59: correct it or remove the row")
	}
}

// The form of an ARFF date says the order of day and month.
func TestARFFDates(t *testing.T) {
	for form, days := range map[string]float64{"dd/MM/yyyy": 31, "MM/dd/yyyy": 1} {
		d, _, err := readText("@relation r\n@attribute d date \""+form+"\"\n@attribute y numeric\n@data\n"+
			"1/2/2020,1\n\"1/1/2020\",2.5\n", ReadOptions{})
		if err != nil || d.Row(0)[0] != days {
			t.Errorf("%s: %v, %v, want %g days", form, d, err, days)
		}
	}
}
