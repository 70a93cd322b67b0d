package scaling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// wordRows returns a table of towns, a number and shops. Towns and shops shift the target, each by its own effect times
// town or shop.
func wordRows(t *testing.T, n int, town, shop float64) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 1))
	effects := make([]float64, 80)
	for i := range effects {
		effects[i] = r.NormFloat64()
	}
	text := []byte("town,x,shop,y\n")
	for range n {
		a, b, x := r.IntN(40), r.IntN(80), r.NormFloat64()
		y := town*effects[a] + shop*effects[79-b] + 0.7*x + 0.3*r.NormFloat64()
		text = fmt.Appendf(text, "t%d,%.4f,s%d,%.4f\n", a, x, b, y)
	}
	return tableOf(t, text, data.RowRoles{})
}

// tableOf reads the text of a table.
func tableOf(t *testing.T, text []byte, roles data.RowRoles) *data.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	must.OK(t, os.WriteFile(path, text, 0o600))
	ds, _, err := data.ReadFile(path, data.ReadOptions{TableOptions: data.TableOptions{Roles: roles}})
	must.OK(t, err)
	return ds
}

// The fit of a mixed model solves the ridge regression of its variances.
func TestMixedModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 300
	m := &mixedModel{sizes: []int{20, 7}, words: [][]int{make([]int, n), make([]int, n)},
		numbers: [][]float64{make([]float64, n), make([]float64, n)}}
	targets, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		m.words[0][i], m.words[1][i] = r.IntN(20)-1, r.IntN(6)
		m.numbers[0][i], m.numbers[1][i] = r.NormFloat64(), r.NormFloat64()
		targets[i] = math.Sin(float64(m.words[0][i])) + m.numbers[0][i] + r.NormFloat64()
		weights[i] = r.Float64()
	}
	f := m.fit(targets, weights)

	// unknowns: μ, β, u
	precisions := []float64{1e-9, 1 / f.slope, 1 / f.slope}
	precisions = append(precisions, slices.Repeat([]float64{1 / f.spreads[0]}, 20)...)
	precisions = append(precisions, slices.Repeat([]float64{1 / f.spreads[1]}, 7)...)
	k := len(precisions)
	products, along := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	for j, p := range precisions {
		products.Set(j, j, p)
	}
	for i := range n {
		row := mat.NewVecDense(k, nil)
		row.SetVec(0, 1)
		row.SetVec(1, m.numbers[0][i])
		row.SetVec(2, m.numbers[1][i])
		if w := m.words[0][i]; w >= 0 {
			row.SetVec(3+w, 1)
		}
		row.SetVec(23+m.words[1][i], 1)
		products.RankOne(products, weights[i]/f.noise, row, row)
		along.AddScaledVec(along, weights[i]/f.noise*targets[i], row)
	}
	var want mat.VecDense
	must.OK(t, want.SolveVec(products, along))
	for j, got := range slices.Concat(f.coefficients, f.effects[0], f.effects[1]) {
		if math.Abs(got-want.AtVec(1+j)) > 20*effectTolerance {
			t.Errorf("unknown %d is %.4f, want %.4f", j, got, want.AtVec(1+j))
		}
	}
	if f.effects[0][19] != 0 || f.effects[1][6] != 0 { // words of no row
		t.Errorf("words without rows have effects %g and %g", f.effects[0][19], f.effects[1][6])
	}
}

// Effects tell the words apart. Those of a row do not know its target, and words that tell nothing have none.
func TestEffects(t *testing.T) {
	ds := wordRows(t, 800, 1, 0)
	e, rows, err := FitEffects(t.Context(), ds, nil, func(float64) {})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(rows.Columns, rows.IsProjected(), rows.HasRidgeFeatures()), "[town x shop] true false")
	must.Equal(t, fmt.Sprint(rows.Schema().Columns, e.Width(3)), "[town x shop] 3")
	must.OK(t, e.Check(ds.Schema()))
	must.Equal(t, fmt.Sprint(e.ZeroColumns(ds.Columns)), "[shop]")
	town, own, y := make([]float64, ds.N()), make([]float64, ds.N()), ds.Output(0)
	applied := e.Apply(ds)
	for i := range town {
		town[i], own[i] = rows.Row(i)[0], applied.Row(i)[0]
		if rows.Row(i)[1] != ds.Row(i)[1] {
			t.Fatal("a number has changed")
		}
		y[i] -= 0.7 * ds.Row(i)[1]
	}
	if r := stat.Correlation(town, y, nil); r < 0.9 {
		t.Errorf("the correlation of effects and targets is %.2f", r)
	}
	if a, b := stat.Correlation(town, y, nil), stat.Correlation(own, y, nil); a >= b {
		t.Errorf("effects that do not know the targets fit them as well: %.4f, %.4f", a, b)
	}

	like := ds.Schema()
	request := data.Request{N: 1, Numbers: []float64{0.5}, Texts: map[string][]string{"town": {"new"}, "shop": {"s1"}}}
	must.Equal(t, fmt.Sprint(e.Apply(must.Get(like.Rows(request))(t)).X.Float64s()), "[0 0.5 0]")
	must.Equal(t, fmt.Sprint(e.LengthScales([]float64{3, 2, 1})), "[3 2 1]")
	again, _, err := FitEffects(t.Context(), ds, nil, func(float64) {})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(again), fmt.Sprint(e))
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := FitEffects(done, ds, nil, func(float64) {}); err == nil {
		t.Error("it goes on after its context has ended")
	}
}

// The effects of a row on its own target come from other folds.
func TestEffectsOfOtherFolds(t *testing.T) {
	ds := wordRows(t, 400, 1, 1)
	e, _, err := FitEffects(t.Context(), ds, nil, func(float64) {})
	must.OK(t, err)
	m := newMixedModel(ds, e.Columns)
	targets, _ := effectTargets(ds)
	folds := make([]int, ds.N())
	for i := range folds {
		folds[i] = 1 + i%effectFolds
	}
	_, _, before := m.crossFit(t.Context(), targets[0], nil, folds)
	targets[0][5] += 3
	_, _, after := m.crossFit(t.Context(), targets[0], nil, folds)
	for k := range before {
		if before[k][5] != after[k][5] || before[k][5] == 0 {
			t.Errorf("column %d: %g is now %g", k, before[k][5], after[k][5])
		}
		if slices.Equal(before[k], after[k]) {
			t.Errorf("column %d: no other row has changed", k)
		}
	}
}

// Each class has an effect of its own, and so has each target.
func TestEffectsOfClasses(t *testing.T) {
	for classes, want := range map[int]int{2: 1, 3: 3, 12: maxEffectClasses} {
		r := rand.New(rand.NewPCG(5, 1))
		text := []byte("x,town,y\n")
		for i := range 900 {
			town := i % 45
			class := min(classes-1, town%classes+r.IntN(2))
			text = fmt.Appendf(text, "%.3f,t%d,class%d\n", r.NormFloat64(), town, class)
		}
		ds := tableOf(t, text, data.RowRoles{})
		e, rows, err := FitEffects(t.Context(), ds, nil, func(float64) {})
		must.OK(t, err)
		must.Equal(t, fmt.Sprint(len(e.Targets), rows.D(), e.Width(2)), fmt.Sprint(want, 1+want, 1+want))
		if classes == 3 {
			must.Equal(t, strings.Join(rows.Columns, ", "),
				"x, effect of town on class0, effect of town on class1, effect of town on class2")
			must.Equal(t, fmt.Sprint(e.LengthScales([]float64{9, 3, 2, 4})), "[9 2]")
		}
		damaged := *e
		damaged.Columns = nil
		if (*CategoryEffects)(nil).Check(ds.Schema()) == nil || damaged.Check(ds.Schema()) == nil {
			t.Error("words without effects passed")
		}
	}
}

// Words that come in turn, as in a panel, have effects, and so have words beside a single time.
func TestEffectsOfPanels(t *testing.T) {
	text := []byte("word,year,y\n")
	for i := range 400 {
		text = fmt.Appendf(text, "w%d,2020,%d.5\n", i%40, i%40/8)
	}
	for _, roles := range []data.RowRoles{{}, {Time: "year"}} {
		ds := tableOf(t, text, roles)
		e, rows, err := FitEffects(t.Context(), ds, nil, func(float64) {})
		must.OK(t, err)
		must.Equal(t, len(e.ZeroColumns(ds.Columns)), 0)
		column := make([]float64, ds.N())
		for i := range column {
			column[i] = rows.Row(i)[0]
		}
		if r := stat.Correlation(column, ds.Output(0), nil); r < 0.95 {
			t.Errorf("%+v: the correlation of effects and targets is %.2f", roles, r)
		}
	}
}
