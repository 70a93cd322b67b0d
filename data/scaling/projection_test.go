package scaling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// manyColumns returns n rows of d columns of noise, of which the first few add up to the target beside noise of sd 0.3;
// classes are its signs.
func manyColumns(n, d, informative int, seed uint64, task data.Task) *data.Dataset {
	r := rand.New(rand.NewPCG(seed, 1))
	ds := &data.Dataset{X: matrix.New(n, d, make([]float64, n*d)), Columns: make([]string, d), Target: "y", Task: task}
	for j := range ds.Columns {
		ds.Columns[j] = fmt.Sprintf("c%d", j+1)
	}
	x := ds.X.Float64s()
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range n {
		y := 0.3 * r.NormFloat64()
		for j := range informative {
			y += x[i*d+j]
		}
		if task == data.Regression {
			ds.Y = append(ds.Y, y)
		} else {
			ds.Labels = append(ds.Labels, int32(math.Round(0.5+0.49*math.Copysign(1, y))))
			ds.Classes = []string{"no", "yes"}
		}
	}
	return ds
}

func projected(t *testing.T, ds *data.Dataset) (*Projection, *data.Dataset) {
	t.Helper()
	s := must.Get(FitScaler("standard", ds))(t)
	p, train, err := FitProjection(context.Background(), ds, s, func(float64) {})
	must.OK(t, err)
	must.OK(t, p.Check())
	return p, train
}

// agreement returns the correlation of the first score with the target.
func agreement(ds *data.Dataset) float64 {
	var xy, xx, yy, mx, my float64
	n := float64(ds.N())
	target := func(i int) float64 {
		if ds.Task == data.Classification {
			return float64(ds.Labels[i])
		}
		return ds.Y[i]
	}
	for i := range ds.N() {
		mx, my = mx+ds.Row(i)[0]/n, my+target(i)/n
	}
	for i := range ds.N() {
		x, y := ds.Row(i)[0]-mx, target(i)-my
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	return xy / math.Sqrt(xx*yy)
}

// Columns are ranked for one class at a time, however many there are.
func TestRankOfManyClasses(t *testing.T) {
	const n, d, classes = 100, 1000, 100
	ds := manyColumns(n, d, 1, 1, data.Classification)
	p := &projector{n: n, d: d, x: ds.X.Float64s(), t: make([]float64, n*classes), targets: classes}
	for i := range n {
		p.t[i*classes+i%classes] = 1
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.rank(matrix.Every(n))
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*d*classes/2 {
		t.Errorf("%d bytes for %d columns", bytes, d)
	}
}

func TestProjectionFindsColumns(t *testing.T) {
	for _, task := range []data.Task{data.Regression, data.Classification} {
		p, train := projected(t, manyColumns(80, 1000, 2, 1, task))
		if !p.Reads([]int{0}) || !p.Reads([]int{1}) || len(p.Columns) > 64 {
			t.Errorf("%s: %s, which are %v", task, p, p.Columns)
		}
		unseen := p.Apply(manyColumns(200, 1000, 2, 2, task))
		if a, b := agreement(train), agreement(unseen); a < 0.5 || b < 0.5 {
			t.Errorf("%s: the score agrees with training targets at %.2f and with others at %.2f", task, a, b)
		}
	}
}

// The score of a training row is of a fit without it: chance is not taken for knowledge.
func TestProjectionOfNoise(t *testing.T) {
	sum, runs := 0.0, 12
	for seed := range runs {
		_, train := projected(t, manyColumns(60, 600, 0, uint64(seed), data.Regression))
		sum += agreement(train)
	}
	if mean := sum / float64(runs); mean > 0.25 {
		t.Errorf("scores of noise agree with training targets at %.2f", mean)
	}
}

// Near copies of a row in its group do not tell its target: the score is of a fit without the group.
func TestProjectionOfGroups(t *testing.T) {
	const groups, copies, runs = 30, 3, 4
	rows, of := make([]int, groups*copies), make([]int32, groups*copies)
	for i := range rows {
		rows[i], of[i] = i%groups, int32(i%groups)
	}
	for _, named := range []bool{false, true} {
		mean := 0.0
		for seed := range runs {
			ds := manyColumns(groups, 800, 0, uint64(seed), data.Regression).Subset(rows)
			if named {
				ds.Groups = of
			}
			_, train := projected(t, ds)
			mean += agreement(train) / float64(runs)
		}
		if named != (mean < 0.5) {
			t.Errorf("%v: scores of noise agree with training targets at %.2f", named, mean)
		}
	}
}

// Neither do copies in a large group, or of the same time, tell the targets of rows beyond those of the fit.
func TestProjectionOfLargeGroups(t *testing.T) {
	const different, copies, groups = 225, 4, 3
	rows, of, times := make([]int, different*copies), make([]int32, different*copies), make([]float64, different*copies)
	for i := range rows {
		rows[i] = i % different
		of[i], times[i] = int32(rows[i]%groups), float64(rows[i])
	}
	for name, give := range map[string]func(ds *data.Dataset){
		"groups": func(ds *data.Dataset) { ds.Groups = of },
		"times":  func(ds *data.Dataset) { ds.Times = times },
	} {
		ds := manyColumns(different, 400, 0, 1, data.Regression).Subset(rows)
		give(ds)
		_, looked := ds.Sample(projectionRows, 0)
		_, train := projected(t, ds)
		for part, some := range map[string][]int{"in the fit": looked, "beside it": matrix.Others(len(rows), looked)} {
			if a := agreement(train.Subset(some)); a > 0.3 {
				t.Errorf("%s: scores of noise %s agree with training targets at %.2f", name, part, a)
			}
		}
	}
}

func TestProjectionIsDeterministic(t *testing.T) {
	ds := manyColumns(50, 300, 2, 3, data.Regression)
	p, train := projected(t, ds)
	before := runtime.GOMAXPROCS(1)
	q, again := projected(t, ds)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(p.Weights, q.Weights) || !slices.Equal(train.X.Float64s(), again.X.Float64s()) {
		t.Error("the scores depend on the number of threads")
	}
}

// A projection of a model file whose scaler is not that of its columns is refused.
func TestDamagedProjection(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(s *Scaler)
		sound  bool
	}{
		"sound":    {func(*Scaler) {}, true},
		"no tails": {func(s *Scaler) { s.Tails = nil }, true},
		"middle":   {func(s *Scaler) { s.Tails.Middle = nil }, false},
		"unit":     {func(s *Scaler) { s.Tails.Unit = s.Tails.Unit[:1] }, false},
		"scale":    {func(s *Scaler) { s.Scale[1] = 0 }, false},
	} {
		p := &Projection{Of: 3, Columns: []int{0, 2}, OutputNames: []string{"score of y"}, Offsets: []float64{0},
			Scaler: Scaler{Kind: "tails", Center: []float64{0, 0}, Scale: []float64{1, 1},
				Tails: &AsinhScale{Middle: []float64{0, 0}, Unit: []float64{1, 0}}}}
		c.damage(&p.Scaler)
		if err := p.Check(); (err == nil) != c.sound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
