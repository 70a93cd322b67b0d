package train

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// startAt trains a run that starts at the model of another.
func startAt(t *testing.T, at *Outcome, words string, set *data.Dataset, place placement) (*Outcome, error) {
	t.Helper()
	c, err := config(t, "from=r data=f.csv "+words).WarmStart(at.Config, at.Steps)
	if err != nil {
		return nil, err
	}
	job := jobOf(t, words)
	job.Config, job.Device, job.Train, job.From, job.place = c, openCPU(t), set, at.Trained, place
	return job.Run(t.Context())
}

// A run that starts at a model and does not move predicts what the model does, bit for bit, whatever its kind. One that
// moves predicts something else, and the same again from the same start.
func TestStartAtModel(t *testing.T) {
	learns(t)
	numbers, classes := table(t, 60, 1, wave), table(t, 60, 3, rings)
	for _, c := range []struct {
		words string
		set   *data.Dataset
		place placement
	}{
		{words: "model=gp inducing=9", set: numbers},
		{words: "model=gpdrf inducing=9 latents=3 features=7 layers=2 target-scaling=log", set: numbers},
		{words: "model=gpdrf inducing=9 latents=3 features=7 spectra=var-fixed", set: classes},
		{words: "model=drf features=7 spectra=prior-fixed", set: classes},
		{words: "model=drf columns=auto features=7", set: wideRows(t, 60, 1, true)},
		{words: "model=gp columns=components inducing=9", set: alikeRows(t, 80, 1, false)},
		{words: "model=gpdrf inducing=9 latents=3 features=7", set: townRows(t, 99, 1)},
		{words: "model=gpdrf inducing=9 features=7 kernel=spectrum:2+double:1,2", set: genes(t, 60, 1)},
		{"model=gp inducing=9 kernel=spectrum:2", genes(t, 60, 1), distancesInSteps},
		{words: "model=drf features=7 kernel=spectrum:2 projection=16", set: genes(t, 60, 1)},
		{words: "model=gp inducing=9 kernel=spectrum:1 codebook=5", set: sounds(t, 60, 1)},
		{words: "model=gp inducing=9 kernel=wl:2", set: molecules(t, 60, 1)},
	} {
		t.Run(c.words, func(t *testing.T) { startsAtModel(t, c.words, c.set, c.place) })
	}
}

func startsAtModel(t *testing.T, words string, set *data.Dataset, place placement) {
	at := mustFit(t, words+" steps=10 batch=17 device=cpu:f32", set)
	rest := set.Subset([]int{1, 2, 3, 5, 8, 13, 21, 22, 23, 34, 35, 36, 37, 45, 46, 50, 55})
	predicted := func(o *Outcome) []float64 {
		return must.Get(o.Trained.Predict(t.Context(), openCPU(t), set, 3))(t).H
	}
	still := must.Get(startAt(t, at, "lr=1e-30 kl-warmup=0", rest, place))(t)
	must.Equal(t, still.Steps, 2)
	if !slices.Equal(predicted(still), predicted(at)) {
		t.Error("steps that do not move have moved the predictions")
	}
	moved := must.Get(startAt(t, at, "steps=3", rest, place))(t)
	again := must.Get(startAt(t, at, "steps=3", rest, place))(t)
	if slices.Equal(predicted(moved), predicted(at)) {
		t.Error("three steps do not move the predictions")
	}
	if !slices.Equal(predicted(moved), predicted(again)) {
		t.Error("the same steps move the predictions to another place")
	}
	if !reflect.DeepEqual(moved.Trained.Scaler, at.Trained.Scaler) {
		t.Error("the scales of the inputs have changed")
	}
	if !reflect.DeepEqual(moved.Trained.Targets, at.Trained.Targets) {
		t.Error("the scales of the targets have changed")
	}
}

// Another model is refused by the name of the option, and so are models that cannot go on.
func TestStartRefused(t *testing.T) {
	at := mustFit(t, "model=gp inducing=9 steps=3 device=cpu:f32", table(t, 60, 1, wave))
	for _, c := range []struct{ words, want string }{
		{"inducing=8", `--inducing: the model of r was made with "9"`},
		{"model=drf", `--model: the model of r was made with "gp"`},
		{"seed=2", "--seed: the model of r"},
		{"kernel=matern32", "--kernel: the model of r"},
		{"target-scaling=log", "--target-scaling: the model"},
		{"preset=paper", "--preset: the model"},
	} {
		t.Run(c.words, func(t *testing.T) {
			_, err := startAt(t, at, c.words, table(t, 60, 2, wave), placement{})
			must.Contain(t, fmt.Sprint(err), c.want)
		})
	}
	if _, err := startAt(t, at, "inducing=9 steps=2 batch=8", table(t, 60, 2, wave), placement{}); err != nil {
		t.Error(err)
	}
	several := at.Config
	several.Ensemble = 3
	_, err := config(t, "from=r data=f").WarmStart(several, 3)
	must.Contain(t, fmt.Sprint(err), "several models")
}

// The rows decide the objective and the covariance of the weights, unless a user does, and the settled config repeats
// the run.
func TestObjectiveByRows(t *testing.T) {
	learns(t)
	small := "inducing=4 latents=1 features=8 "
	for _, c := range []struct {
		words           string
		rows            int
		objective, wcov string
	}{
		{"", 300, options.ELBO, model.Full}, // rows are fewer than the parameters, and fewer than ten for each feature
		{small, 300, options.Predictive, model.Diagonal},
		{small, 50, options.ELBO, model.Full},
		{"inducing=4 model=gp", 300, options.Predictive, ""},
		{small + "likelihood=student-t", 300, options.ELBO, model.Diagonal},
		{small + "spectra=prior-fixed", 100, options.ELBO, model.Diagonal},
		{small + "objective=elbo w-cov=full", 300, options.ELBO, model.Full},
		{small + "objective=predictive w-cov=diagonal", 50, options.Predictive, model.Diagonal},
		{small + "preset=paper samples=2 batch=9", 300, options.ELBO, model.Diagonal},
		{small + "features-kernel=arccos1", 60, options.ELBO, model.Diagonal},
		{"inducing=40 model=gp", 70, options.ELBO, ""},
		{"inducing=40 model=gp learn-inducing=false", 70, options.Predictive, ""},
	} {
		set := table(t, c.rows, 1, wave)
		out := mustFit(t, "steps=3 "+startGiven+" "+c.words, set)
		if got := out.Config; got.Objective != c.objective || out.Trained.Config.WCov != c.wcov {
			t.Errorf("%q, %d rows: objective %s and w-cov %q, want %s and %q", c.words, c.rows, got.Objective,
				out.Trained.Config.WCov, c.objective, c.wcov)
		}
		again := must.Get(fit(t, context.Background(), out.Config, set))(t)
		if again.Objective != out.Objective {
			t.Errorf("%q: its config has %+v, and it had %+v", c.words, again.Objective, out.Objective)
		}
	}
}

// Two layers are the default where rows outnumber their parameters, and the user has not asked for another depth or for
// the bound. They have as many features as rows allow, and take more steps, unless the user gives a number.
func TestDepthByRows(t *testing.T) {
	small := "inducing=4 latents=1 features=4 "
	for _, c := range []struct {
		words                string
		rows                 int
		layers, width, steps int
		latents, features    int // 0 is any
		note                 string
	}{
		{words: small, rows: 600, layers: 2, width: 16, steps: 20000},
		{words: small, rows: 260, layers: 1, width: 8, steps: 15000},
		{words: "inducing=4", rows: 20000, layers: 2, width: 16, steps: 20000, latents: 32, features: 160},
		{words: "inducing=4", rows: 18500, layers: 2, width: 16, steps: 20000, latents: 32, features: 150},
		{words: "inducing=4", rows: 11500, layers: 1, width: 8, steps: 15000, latents: 8, features: 100},
		{words: "inducing=4 features=300", rows: 18500, layers: 1, width: 8, steps: 15000, note: "one layer, since"},
		{words: "inducing=4 latents=64", rows: 13500, layers: 1, width: 8, steps: 15000, note: "one layer, since"},
		{words: small + "steps=700", rows: 600, layers: 2, width: 16, steps: 700},
		{words: small + "layers=1", rows: 600, layers: 1, width: 8, steps: 15000},
		{words: small + "objective=elbo", rows: 600, layers: 1, width: 8, steps: 15000},
		{words: small + "likelihood=student-t", rows: 600, layers: 1, width: 8, steps: 15000},
		{words: small + "spectra=prior-fixed", rows: 600, layers: 1, width: 8, steps: 15000},
		{words: "model=drf features=4", rows: 600, layers: 1, width: 8, steps: 15000},
		{words: "preset=paper inducing=4 latents=1 features=4 batch=9", rows: 600, layers: 1, width: 10, steps: 66667},
	} {
		got, notes, err := config(t, c.words).ResolveFor(t.Context(), table(t, c.rows, 1, wave))
		if err != nil || got.Layers != c.layers || got.Hidden != c.width || got.Steps != c.steps ||
			c.latents > 0 && (got.Latents != c.latents || got.Features != c.features) {
			t.Errorf("%q, %d rows: %d layers of width %d, %d latents, %d features, %d steps: %v, %v", c.words, c.rows,
				got.Layers, got.Hidden, got.Latents, got.Features, got.Steps, notes, err)
		}
		all := strings.Join(notes, "\n")
		if strings.Contains(all, "one layer") != (c.note != "") || !strings.Contains(all, c.note) {
			t.Errorf("%q, %d rows: %q, expected %q in it", c.words, c.rows, notes, c.note)
		}
		// what all rows have settled stays for a part of them, as in a trial of preset best
		if part, _, err := got.ResolveFor(t.Context(), table(t, c.rows/4*3, 1, wave)); err != nil ||
			part.Layers != got.Layers || part.Features != got.Features {
			t.Errorf("%q, a part of %d rows: %d layers, %d features: %v", c.words, c.rows, part.Layers, part.Features,
				err)
		}
	}
}

// One layer for classes has more features than numbers have, where held-out rows choose and time does not press.
func TestFeaturesOfClasses(t *testing.T) {
	for _, c := range []struct {
		words    string
		features int
	}{
		{"", 400},
		{"features=7", 7},
		{"layers=2", 100},
		{"model=drf", 100},
		{"time-limit=30s", 100},
		{"steps=4000", 100},
		{"steps=4000 objective=auto", 400},
		{"objective=elbo", 100},
		{"likelihood=bernoulli", 100},
		{"preset=paper", 100},
	} {
		t.Run(c.words, func(t *testing.T) {
			got, _, err := config(t, c.words).ResolveFor(t.Context(), table(t, 300, 1, coin))
			must.OK(t, err)
			must.Equal(t, got.Features, c.features)
		})
	}
}
