package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A warning names a few targets beyond all others, and no honest tail: log-normal sales, counts, classes, or a Cauchy
// distribution except for one sample in a thousand.
func TestFarTargetWarnings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	with := func(value func() float64, far ...float64) (text string) {
		text = "a,y\n"
		for i := range 200 {
			y := value()
			if i >= 100 && i < 100+len(far) {
				y = far[i-100]
			}
			text += fmt.Sprintf("%d,%g\n", i%7, y)
		}
		return text
	}
	counts := func() float64 { return math.Floor(20 * random.ExpFloat64() * random.ExpFloat64()) }
	lognormal := func() float64 { return math.Exp(3 * random.NormFloat64()) }
	cauchy := func() float64 { return random.NormFloat64() / random.NormFloat64() }
	for _, c := range []struct{ text, want string }{
		{with(random.NormFloat64, 1e30), `t.csv:102: the target "y" is 1e+30, more than 1000 times`},
		{with(random.NormFloat64, -9999, -9999), `t.csv:102: the target "y" is -9999`},
		{with(random.NormFloat64, 1e30, -1e20), `as usual targets; so are those of 1 other row: correct`},
		{with(counts, 999999999), `t.csv:102: the target "y" is 9.99999999e+08`},
		{with(lognormal, 1e12), `the target "y" is 1e+12`},
		{with(random.NormFloat64), ""}, {with(random.NormFloat64, 300), ""}, {with(counts), ""}, {with(lognormal), ""},
		{with(cauchy), ""}, {with(func() float64 { return 0 }, 0.5, 3), ""},
		{with(random.NormFloat64, make([]float64, 100)...), ""},
	} {
		_, _, notes, err := Load(Source{Data: write(t, "t.csv", c.text), Test: NoTest,
			ReadOptions: ReadOptions{Task: "regression"}})
		all := strings.Join(notes, "\n")
		if err != nil || strings.Contains(all, "times as far") != (c.want != "") ||
			!strings.Contains(all, c.want) {
			t.Errorf("%v, %s, want %s", err, all, c.want)
		}
	}
	warned := 0
	for range 2000 {
		y := make([]float64, 100)
		for i := range y {
			y[i] = cauchy()
		}
		if _, far := farValues(y); far != nil {
			warned++
		}
	}
	if warned > 8 {
		t.Errorf("%d of 2000 samples of a Cauchy distribution have far values", warned)
	}
}
