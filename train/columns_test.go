package train

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// wideRows returns rows with 300 columns of noise. The sum of two of them says the class, where there is something to
// learn.
func wideRows(t *testing.T, n int, seed uint64, signal bool) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	rows := data.Rows{Inputs: make([][]float64, n), Classes: make([]string, n)}
	for i := range n {
		x := make([]float64, 300)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		y := r.NormFloat64()
		if signal {
			y = x[3] + x[7]
		}
		rows.Inputs[i], rows.Classes[i] = x, map[bool]string{true: "yes", false: "no"}[y > 0]
	}
	return must.Get(data.FromRows(rows))(t)
}

const ofWide = "steps=300 device=cpu:f32"

// Many columns become few inputs that predict other rows, after a model file, too.
func TestWideTable(t *testing.T) {
	learns(t)
	out := mustFit(t, ofWide, wideRows(t, 60, 1, true))
	if inputs := out.Trained.Config.Inputs; out.Trained.Projection == nil || inputs != 1 {
		t.Fatalf("a model of %d inputs", inputs)
	}
	test := wideRows(t, 200, 2, true)
	before := evaluate(t, out, test)
	if e := before.Classification.Error; e > 0.35 {
		t.Errorf("an error of %.2f", e)
	}
	read := reread(t, out.Trained)
	after := evaluate(t, &Outcome{Trained: read}, test)
	if !slices.Equal(before.Kept.Prediction.H, after.Kept.Prediction.H) {
		t.Error("the model file predicts something else")
	}
	far := wideRows(t, 8, 3, true)
	for j := range far.Row(0) {
		far.Row(0)[j] = 1e30
	}
	if distances(t, read, far)[0] < 10 {
		t.Error("a row far away is not far")
	}
}

// Where there is nothing to learn, a model of many columns knows it.
func TestWideNoise(t *testing.T) {
	learns(t)
	out := mustFit(t, ofWide, wideRows(t, 60, 1, false))
	if nll := evaluate(t, out, wideRows(t, 300, 2, false)).Classification.NLL; nll > math.Ln2+0.15 {
		t.Errorf("%.2f nats a row", nll)
	}
}

// alikeRows returns rows with 40 columns that mix three strong causes and a weak one, which says the class; or, if own,
// the first column says it alone, and each column has more of its own.
func alikeRows(t *testing.T, n int, seed uint64, own bool) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	rows := data.Rows{Inputs: make([][]float64, n), Classes: make([]string, n)}
	for i := range n {
		causes := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		x, noise := make([]float64, 40), 0.05
		if own {
			noise = 0.5
		}
		for j := range x {
			x[j] = noise * r.NormFloat64()
			for c, z := range causes {
				x[j] += z * math.Sin(float64(7*j*(c+1))) * []float64{1, 1, 1, 0.2}[c]
			}
		}
		says := causes[3]
		if own {
			says = x[0] / 1.4
		}
		rows.Inputs[i], rows.Classes[i] = x, map[bool]string{true: "yes", false: "no"}[math.Sin(2*says) > 0]
	}
	return must.Get(data.FromRows(rows))(t)
}

// Components are the inputs if the user or rows that are held out choose them; the model file predicts the same.
func TestComponents(t *testing.T) {
	learns(t)
	for _, c := range []struct {
		columns    string
		own        bool
		components bool
	}{{columns: "auto", components: true}, {columns: "auto", own: true},
		{columns: "components", own: true, components: true}, {columns: "all"}} {
		words := startGiven + " device=cpu:f32 inducing=30 latents=3 features=20 columns=" + c.columns
		cfg := withSteps(config(t, words), 1200)
		job := &Job{Config: cfg, Device: openCPU(t), Train: alikeRows(t, 400, 1, c.own), Reporter: &quiet{}}
		out := must.Get(job.Run(t.Context()))(t)
		notes := strings.Join(job.Reporter.(*quiet).notes, "\n")
		if p := out.Trained.Projection; (p != nil) != c.components || out.Config.Columns == options.Auto && p != nil {
			t.Errorf("%+v: inputs %v and columns %s in the config: %s", c, p, out.Config.Columns, notes)
		}
		test := alikeRows(t, 100, 2, c.own)
		before := evaluate(t, out, test)
		after := evaluate(t, &Outcome{Trained: reread(t, out.Trained)}, test)
		if !slices.Equal(before.Kept.Prediction.H, after.Kept.Prediction.H) {
			t.Errorf("%+v: the model file predicts something else", c)
		}
	}
}

// townRows returns rows of 33 towns, each of which shifts the target by its own effect, beside a number.
func townRows(t *testing.T, n int, seed uint64) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	text := []byte("town,x,target\n")
	for i := range n {
		town, x := i%33, r.Float64()
		y := 5*math.Sin(float64(7*town)) + math.Sin(6*x) + 0.1*r.NormFloat64()
		text = fmt.Appendf(text, "t%d,%.4f,%.4f\n", town, x, y)
	}
	return readText(t, "towns.csv", string(text), data.ReadOptions{})
}

// Words of a column of many predict by their effects, after a model file, too.
func TestManyWords(t *testing.T) {
	learns(t)
	out := mustFit(t, "steps=300 inducing=30 latents=2 features=20 device=cpu:f32", townRows(t, 330, 1))
	test := townRows(t, 99, 2)
	if rmse := evaluate(t, out, test).Regression.RMSE; rmse > 0.4 {
		t.Errorf("an RMSE of %.2f", rmse)
	}
	read := rereadSame(t, out.Trained, test)
	read.Effects = nil
	if _, err := readModel(t, bytesOf(t, read)); err == nil {
		t.Error("a file of words without effects can be read")
	}
}

func TestWideDeterministic(t *testing.T) {
	set := wideRows(t, 40, 1, true)
	first := bytesOf(t, mustFit(t, "steps=30 device=cpu:f32", set).Trained)
	old := runtime.GOMAXPROCS(1)
	second := bytesOf(t, mustFit(t, "steps=30 device=cpu:f32", set).Trained)
	runtime.GOMAXPROCS(old)
	if !bytes.Equal(first, second) {
		t.Error("another number of threads gives another model")
	}
}
