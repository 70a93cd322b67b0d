package scaling

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(1, math.Abs(b)) }

// read reads a table.
func read(t testing.TB, text string, opt data.ReadOptions) *data.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	d, _, err := data.ReadFile(path, opt)
	return must.Get(d, err)(t)
}

func TestScalers(t *testing.T) {
	// Columns: 0 … 9; constant 0.1, whose mean in floating point is not 0.1; mostly zeros, so that both quartiles are
	// 0.
	x := make([]float64, 0, 30)
	for i := range 10 {
		x = append(x, float64(i), 0.1, float64(i/9*100))
	}
	m := matrix.New(10, 3, x)
	for _, want := range []Scaler{
		{"standard", []float64{4.5, 0.1, 10}, []float64{math.Sqrt(82.5 / 9), 1, math.Sqrt(1000)}, 0, nil, nil,
			[]float64{0, 0.1, 0}, []float64{9, 0.1, 100}},
		{"robust", []float64{4.5, 0.1, 0}, []float64{4.5 / 1.349, 1, math.Sqrt(1000)}, 5, nil, nil,
			[]float64{0, 0.1, 0}, []float64{9, 0.1, 100}},
		{"none", []float64{0, 0, 0}, []float64{1, 1, 1}, 0, nil, nil, []float64{0, 0.1, 0}, []float64{9, 0.1, 100}},
	} {
		t.Run(want.Kind, func(t *testing.T) {
			got := must.Get(fitScaler(want.Kind, m))(t)
			must.Equal(t, got.Clip, want.Clip)
			must.Equal(t, got.Min, want.Min)
			must.Equal(t, got.Max, want.Max)
			for j := range 3 {
				if !near(got.Center[j], want.Center[j], 1e-14) {
					t.Errorf("column %d: centre %g, want %g", j, got.Center[j], want.Center[j])
				}
				if !near(got.Scale[j], want.Scale[j], 1e-14) {
					t.Errorf("column %d: scale %g, want %g", j, got.Scale[j], want.Scale[j])
				}
			}
			var back Scaler
			must.OK(t, json.Unmarshal(must.Get(json.Marshal(got))(t), &back))
			must.Equal(t, back, got)
			row := []float64{1, 0.1, -1e6}
			got.Apply(row, row)
			if want.Kind != "none" && row[1] != 0 {
				t.Errorf("the only value of a column became %g", row[1])
			}
			if got.Clip > 0 && row[2] != -5 {
				t.Errorf("a value that is clipped became %g", row[2])
			}
			if got.Clip == 0 && row[2] > -5 {
				t.Errorf("a value that is not clipped became %g", row[2])
			}
		})
	}
	if x[0] != 0 || x[27] != 9 {
		t.Error("fitting changed the table")
	}
	if _, err := fitScaler("robst", m); err == nil ||
		err.Error() != `there is no scaling "robst": did you mean "robust"?` {
		t.Error(err)
	}
	s, err := fitScaler("standard", matrix.New(1, 1, []float64{3}))
	if err != nil || s.Scale[0] != 1 || s.Center[0] != 3 {
		t.Errorf("a single row: %+v, %v", s, err)
	}
}

// TestLogScale: values that grow by a factor become evenly spaced, nothing leaves the range below, and a constant
// column stays.
func TestLogScale(t *testing.T) {
	x := []float64{3, 7, 4, 7, 7, 7, 23, 7, 103, 7}
	s := must.Get(fitScaler("log", matrix.New(5, 2, slices.Clone(x))))(t)
	_, sd := stats.MeanSD([]float64{3, 4, 7, 23, 103})
	if s.Log.Min[0] != 3 || !near(s.Log.Unit[0], sd/10, 1e-15) || s.Log.Unit[1] != 1 {
		t.Errorf("%+v", s.Log)
	}
	scaled := s.Rows(matrix.New(5, 2, x), 0, 5)
	mean, dev := stats.MeanSD([]float64{scaled[0], scaled[2], scaled[4], scaled[6], scaled[8]})
	if !near(mean, 0, 1e-14) || !near(dev, 1, 1e-14) {
		t.Errorf("mean %g and deviation %g, want 0 and 1", mean, dev)
	}
	raw := func(v float64) float64 { return math.Log1p((v - 3) / (sd / 10)) }
	if want := (raw(103) - raw(23)) / (raw(23) - raw(4)); !near((scaled[8]-scaled[6])/(scaled[6]-scaled[2]),
		want, 1e-12) {
		t.Errorf("%v is not the logarithm: want steps of ratio %g", scaled, want)
	}
	row := []float64{-50, 7}
	if s.Apply(row, row); row[0] != scaled[0] || row[1] != 0 {
		t.Errorf("below the least, and constant: %v, want %v", row, []float64{scaled[0], 0})
	}
	text, _ := json.Marshal(s)
	var back Scaler
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(s, back) {
		t.Errorf("%s came back as %+v, %v", text, back, err)
	}
}

// TestAuto: a column that is nearly normal keeps its mean and deviation, whatever stands beside it. Of one with a far
// value, the bulk keeps its width, and the value stays the farthest.
func TestAuto(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 1000
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	plain, _ := FitScaler("auto", &data.Dataset{X: matrix.New(n, 2, slices.Clone(x))})
	x[501] = 1e4
	spiked, _ := FitScaler("auto", &data.Dataset{X: matrix.New(n, 2, x)})
	if plain.Kind != "standard" || spiked.Kind != "tails" || !slices.Equal(spiked.tailed(), []int{1}) {
		t.Fatalf("%s and %s of %v", plain.Kind, spiked.Kind, spiked.tailed())
	}
	if spiked.Scale[0] != plain.Scale[0] || spiked.Center[0] != plain.Center[0] {
		t.Errorf("column 0: %v, alone %v", spiked, plain)
	}
	scaled := spiked.Rows(matrix.New(n, 2, x), 0, n)
	if slices.Max(scaled) != scaled[501] || scaled[501] > 20 {
		t.Errorf("the far value became %g", scaled[501])
	}
	own := make([]float64, n-1)
	for i := range own {
		own[i] = scaled[2*i+1]
		if 2*i+1 >= 501 {
			own[i] = scaled[2*i+3]
		}
	}
	if mean, sd := stats.MeanSD(own); !near(mean, 0, 1e-12) || !near(sd, 1, 1e-12) {
		t.Errorf("the others have mean %g and deviation %g", mean, sd)
	}
}

// TestTails: which columns have long tails, and which values are far from all others.
func TestTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 500
	draw := func(f func() float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	sentinel := func(share, value float64) []float64 {
		return draw(func() float64 {
			if rng.Float64() < share {
				return value
			}
			return rng.NormFloat64()
		})
	}
	for _, c := range []struct {
		name string
		v    []float64
		long bool
		far  int // of n, roughly
	}{
		{"normal", draw(rng.NormFloat64), false, 0},
		{"uniform", draw(rng.Float64), false, 0},
		{"exponential", draw(rng.ExpFloat64), false, 0},
		{"log-normal", draw(func() float64 { return math.Exp(1.5 * rng.NormFloat64()) }), true, 0},
		{"constant", draw(func() float64 { return 3.7 }), false, 0},
		{"binary", draw(func() float64 { return math.Floor(1.02 * rng.Float64()) }), false, 0},
		{"rare counts", draw(func() float64 { return math.Max(0, math.Floor(2*rng.NormFloat64()-2)) }), false, 0},
		{"two groups", draw(func() float64 { return 10*math.Floor(2*rng.Float64()) + rng.NormFloat64() }), false, 0},
		{"sentinel", sentinel(0.1, -999), true, 50},
		{"sentinel above", sentinel(0.2, 99999), true, 100},
		{"one typing error", append(draw(rng.NormFloat64)[1:], 4e7), true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(FitScaler("auto", &data.Dataset{X: matrix.New(n, 1, slices.Clone(c.v))}))(t)
			must.Equal(t, s.Kind == "tails", c.long)
			sorted := slices.Sorted(slices.Values(c.v))
			lo, hi := beforeGaps(sorted)
			if far := n - (hi - lo); math.Abs(float64(far-c.far)) > 0.4*float64(c.far) {
				t.Errorf("%d far values, expected about %d", far, c.far)
			}
			scaled := s.Rows(matrix.New(n, 1, sorted), 0, n)
			if !slices.IsSorted(scaled) {
				t.Error("scaling changes the order of values")
			}
			// the middle half of the others has about the width of a normal sample's
			first, third := scaled[lo+(hi-lo)/4], scaled[lo+3*(hi-lo)/4]
			if c.long && !near(third-first, robustIQR, 0.4) {
				t.Errorf("quartiles %g and %g", first, third)
			}
		})
	}
	d := &data.Dataset{X: matrix.New(n, 1, sentinel(0.1, -999)), Columns: []string{"dose"}}
	s, _ := FitScaler("auto", d)
	notes := s.Notes(d)
	if len(notes) != 2 || !strings.Contains(notes[1], "-999") || !strings.Contains(notes[1], `"dose"`) {
		t.Errorf("notes %q", notes)
	}
	// a feature has no missing cells
	f := (&data.Dataset{Columns: []string{"shop"}}).WithFeatures(d.X, []string{"effect of shop on a"}, false)
	if notes := s.Notes(f); len(notes) != 1 {
		t.Errorf("notes about a feature: %q", notes)
	}
	// two values keep their width beside a code
	codes := draw(func() float64 { return math.Floor(2 * rng.Float64()) })
	for i := range 25 {
		codes[i] = -999
	}
	d = &data.Dataset{X: matrix.New(n, 1, codes), Columns: []string{"smoker"}}
	s, _ = FitScaler("auto", d)
	notes = s.Notes(d)
	if no, yes := s.value(0, 0), s.value(0, 1); yes-no < 1 {
		t.Errorf("0 and 1 become %g and %g", no, yes)
	}
	must.Contain(t, strings.Join(notes, "\n"), `"smoker" (always -999 in 25`)
}

func TestTargetScale(t *testing.T) {
	d := &data.Dataset{Path: "t.csv", Target: "y", Y: []float64{1, 2, 3, 6}}
	ts := must.Get(FitTargetScales(StandardTargets, d))(t)
	must.Equal(t, ts[0].Mean, 3)
	if want := math.Sqrt(14.0 / 3); !near(ts[0].SD, want, 1e-15) {
		t.Errorf("the deviation is %g, want %g", ts[0].SD, want)
	}
	must.Equal(t, ts[0].Max, 6)
	must.Equal(t, ts[0].Min, 1)
	z := Standardise(d.Y, ts)
	if mean, sd := stats.MeanSD(z); !near(mean, 0, 1e-15) || !near(sd, 1, 1e-15) || d.Y[0] != 1 {
		t.Errorf("standardised %v: mean %g and deviation %g, want 0 and 1; the first target is %g", z, mean, sd, d.Y[0])
	}
	d.Y = []float64{0.1, 0.1, 0.1}
	if _, err := FitTargetScales(StandardTargets, d); err == nil ||
		err.Error() != `t.csv: the target column "y" holds the value 0.1 only: there is nothing to learn` {
		t.Error(err)
	}
}

// A date that is far outside is written as one.
func TestFarDates(t *testing.T) {
	train := read(t, "when,y\n2020-01-01,1\n2020-01-03,2\n2020-01-02 06:00,4\n", data.ReadOptions{})
	like := train.Schema()
	rows := read(t, "when\n1969-07-20 20:17\n",
		data.ReadOptions{Schema: &like, TargetOptional: true})
	s := must.Get(FitScaler("standard", train))(t)
	const want = `column "when" is 1969-07-20 20:17:00, and 2020-01-01 to 2020-01-03 in the training rows: far outside`
	must.Contain(t, farIn(s, rows).Describe(), want)
}

// TestFarRows: a row far outside the training range is found, with its line and the column that is farthest; an absurd
// value becomes a large one, and costs no other row.
func TestFarRows(t *testing.T) {
	train := read(t, "a,b,c,target\n1,2,7,0.5\n-3,4e2,7,0.25\n0,1,7,0.25\n", data.ReadOptions{})
	like := train.Schema()
	rows := read(t, "a,b,c\n1,2,7\n\n-7.1,1e90,7\n-1e99,2,7\n4.9,-390,7.9\n5.1,6,7\n2,2,8.5\n",
		data.ReadOptions{Schema: &like, TargetOptional: true})
	rows.Path = "t.csv"
	for _, kind := range []string{"standard", "none", "robust"} {
		s := must.Get(FitScaler(kind, train))(t)
		// 4.9 is not far from -3 … 1, nor 7.9 from a constant 7.
		far := farIn(s, rows)
		want := `t.csv:4: column "b" is 1e+90, and 1 to 400 in the training rows: far outside, so the ` +
			`prediction is unreliable; the same holds for 4 of 6 rows`
		if got := far.Describe(); far.Rows != 4 || got != want {
			t.Errorf("%s: %d rows, got %s\nwant %s", kind, far.Rows, got, want)
		}
		last := rows.Subset([]int{5})
		if got := farIn(s, last).Describe(); !strings.Contains(got,
			`t.csv:8: column "c" is 8.5, and always 7 in the training rows`) || strings.Contains(got, "so it is") {
			t.Errorf("a changed constant: %s", got)
		}
		if far := farIn(s, train); far.Rows > 0 {
			t.Errorf("%s: training rows are far: %+v", kind, far)
		}
	}
	s, _ := FitScaler("standard", train)
	if x := s.Rows(rows.X, 0, 3); x[4] != MaxScaled || x[6] != -MaxScaled || math.Abs(x[3]) > 10 {
		t.Errorf("scaled %v, want ±%g at the far cells alone", x, MaxScaled)
	}
	// Open knows no bounds but the last, and goes on below the least logarithm.
	l, _ := FitScaler("log", train)
	x := make([]float64, 9)
	for i, v := range []float64{-3, -4, -5} {
		l.unclipped(x[3*i:3*i+3], []float64{v, 1, 7})
	}
	if step := x[3] - x[0]; !near(x[6]-x[3], step, 1e-12) || !near(step, -1/l.Log.Unit[0]/l.Scale[0], 1e-12) {
		t.Errorf("not clipped, %v rises by %g, then %g: want %g", x, step, x[6]-x[3], -1/l.Log.Unit[0]/l.Scale[0])
	}
	open := Scaler{Kind: "robust", Center: []float64{0}, Scale: []float64{1}, Clip: 5}
	if open.unclippedValue(0, 77) != 77 {
		t.Error("clipped")
	}
}

func farIn(s Scaler, rows *data.Dataset) *FarRows {
	far := &FarRows{}
	far.Add(s, rows)
	return far
}

func TestTinyInput(t *testing.T) {
	s, err := fitScaler("standard", matrix.New(3, 1, []float64{1e-200, 2e-200, 4e-200}))
	if err != nil || s.Scale[0] < 1e-200 || s.Scale[0] > 2e-200 {
		t.Errorf("the scale of tiny inputs is %v, want 1e-200 to 2e-200; %v", s, err)
	}
}

// A set may say how auto scales it.
func TestScalingOfASet(t *testing.T) {
	images := &data.Dataset{X: matrix.New(2, 1, []float64{0, 1}), AutoScaling: "none"}
	for kind, want := range map[string]string{"auto": "none", "standard": "standard"} {
		if s, err := FitScaler(kind, images); err != nil || s.Kind != want {
			t.Errorf("%s: %+v, %v", kind, s, err)
		}
	}
}
