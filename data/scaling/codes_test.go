package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// codeRows returns a table of 900 rows: the number of a school, an age, a distance and a mark. The school shifts the
// mark by its effect times school. The age bends it.
func codeRows(t *testing.T, school float64, roles data.RowRoles) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	schools, effects := r.Perm(9000)[:60], make([]float64, 60)
	for i := range effects {
		effects[i] = r.NormFloat64()
	}
	text := []byte("school,age,distance,mark\n")
	for range 900 {
		a, age, x := r.IntN(60), r.IntN(70), r.NormFloat64()
		y := school*effects[a] + 2*math.Sin(float64(age)/12) + x + 0.5*r.NormFloat64()
		text = fmt.Appendf(text, "%d,%d,%.4f,%.4f\n", 1000+schools[a], age, x, y)
	}
	return tableOf(t, text, roles)
}

// Numbers of schools are codes: marks jump from one to the next. Ages are not, since neighbours predict as well, and
// nor are schools without an effect.
func TestFindCodes(t *testing.T) {
	ds := codeRows(t, 1, data.RowRoles{})
	must.Equal(t, fmt.Sprint(FindCodes(t.Context(), ds)), "[0]")
	must.Equal(t, fmt.Sprint(FindCodes(t.Context(), codeRows(t, 0, data.RowRoles{}))), "[]")
	must.Equal(t, fmt.Sprint(FindCodes(t.Context(), codeRows(t, 1, data.RowRoles{Group: "school"}))), "[]")
}

// The effect of a code takes its place. A new code has effect 0.
func TestEffectsOfCodes(t *testing.T) {
	ds := codeRows(t, 1, data.RowRoles{})
	e, rows, err := FitEffects(t.Context(), ds, []int{0}, func(float64) {})
	must.OK(t, err)
	must.OK(t, e.Check(ds.Schema()))
	must.Equal(t, fmt.Sprint(rows.Columns), "[school age distance]")
	must.Equal(t, fmt.Sprint(e.Width(3), e.Inputs(), e.CodeColumns(), e.EffectiveCodes()), "3 [0] [0] [0]")
	must.Equal(t, fmt.Sprint(e.LengthScales([]float64{2, 1, 4})), "[2 1 4]")
	if s := e.Columns[0].Spread[0]; s < 0.4 || s > 0.8 { // of a mark with a standard deviation of 2
		t.Errorf("the effects have a spread of %.2f", s)
	}
	first := ds.Row(0)
	if got := e.append(nil, first); got[0] == 0 || got[0] == first[0] || got[1] != first[1] || len(got) != 3 {
		t.Errorf("the inputs of %v are %v", first, got)
	}
	must.Equal(t, fmt.Sprint(e.append(nil, []float64{17, 30, 0.5})), "[0 30 0.5]")
	must.Equal(t, fmt.Sprint(e.append(nil, []float64{math.NaN(), 30, 0.5})), "[0 30 0.5]")

	if none, _, err := FitEffects(t.Context(), ds, []int{}, func(float64) {}); none != nil || err != nil {
		t.Error("no codes have effects")
	}

	damaged := *e
	damaged.Columns = []ColumnEffects{e.Columns[0]}
	damaged.Columns[0].Codes = e.Columns[0].Codes[1:]
	if damaged.Check(ds.Schema()) == nil {
		t.Error("fewer codes than effects are accepted")
	}
}
