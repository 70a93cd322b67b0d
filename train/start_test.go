package train

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
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

// A run that starts at a model and does not move predicts what the model does, bit for bit, whatever its kind.
// One that moves predicts something else, and the same again from the same start.
func TestStartAtModel(t *testing.T) {
	learns(t)
	numbers, classes := table(t, 60, 1, wave), table(t, 60, 3, rings)
	const inSteps = "model=gp inducing=9 kernel=spectrum:2"
	for words, set := range map[string]*data.Dataset{
		"model=gp inducing=9": numbers,
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 target-scaling=log": numbers,
		"model=gpdrf inducing=9 latents=3 features=7 spectra=var-fixed":           classes,
		"model=drf features=7 spectra=prior-fixed":                                classes,
		"model=drf columns=auto features=7":                                       wideRows(t, 60, 1, true),
		"model=gp columns=components inducing=9":                                  alikeRows(t, 80, 1, false),
		"model=gpdrf inducing=9 features=7 kernel=spectrum:2+double:1,2":          genes(t, 60, 1),
		inSteps: genes(t, 60, 1),
		"model=drf features=7 kernel=spectrum:2 projection=16": genes(t, 60, 1),
		"model=gp inducing=9 kernel=spectrum:1 codebook=5":     sounds(t, 60, 1),
		"model=gp inducing=9 kernel=wl:2":                      molecules(t, 60, 1),
	} {
		at := mustFit(t, words+" steps=10 batch=17 device=cpu:f32", set)
		rest := set.Subset([]int{1, 2, 3, 5, 8, 13, 21, 22, 23, 34, 35, 36, 37, 45, 46, 50, 55})
		predicted := func(o *Outcome) []float64 {
			return must.Get(o.Trained.Predict(t.Context(), openCPU(t), set, 3))(t).H
		}
		var place placement
		if words == inSteps {
			place = distancesInSteps
		}
		still, err := startAt(t, at, "lr=1e-30 kl-warmup=0", rest, place)
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		if still.Steps != 2 || !slices.Equal(predicted(still), predicted(at)) {
			t.Errorf("%s: %d steps that do not move have moved the predictions", words, still.Steps)
		}
		moved := must.Get(startAt(t, at, "steps=3", rest, place))(t)
		again := must.Get(startAt(t, at, "steps=3", rest, place))(t)
		if slices.Equal(predicted(moved), predicted(at)) || !slices.Equal(predicted(moved), predicted(again)) {
			t.Errorf("%s: steps do not move the predictions, or not to the same place", words)
		}
		if !reflect.DeepEqual(moved.Trained.Scaler, at.Trained.Scaler) ||
			!reflect.DeepEqual(moved.Trained.Targets, at.Trained.Targets) {
			t.Errorf("%s: the scales have changed", words)
		}
	}
}

// Another model is refused by the name of the option, and so are models that cannot go on.
func TestStartRefused(t *testing.T) {
	at := mustFit(t, "model=gp inducing=9 steps=3 device=cpu:f32", table(t, 60, 1, wave))
	for words, want := range map[string]string{
		"inducing=8": `--inducing: the model of r was made with "9"`,
		"model=drf":  `--model: the model of r was made with "gp"`,
		"seed=2":     "--seed: the model of r", "kernel=matern32": "--kernel: the model of r",
		"target-scaling=log": "--target-scaling: the model", "preset=paper": "--preset: the model",
	} {
		_, err := startAt(t, at, words, table(t, 60, 2, wave), placement{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", words, err, want)
		}
	}
	if _, err := startAt(t, at, "inducing=9 steps=2 batch=8", table(t, 60, 2, wave), placement{}); err != nil {
		t.Error(err)
	}
	several := at.Config
	several.Ensemble = 3
	_, err := config(t, "from=r data=f").WarmStart(several, 3)
	if err == nil || !strings.Contains(err.Error(), "several models") {
		t.Error(err)
	}
}
