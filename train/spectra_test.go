// These tests train models whose spectra or latent functions need other options.

package train

import (
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Features without moments in closed form get a fixed draw, and a note says so.
func TestSpectraOfArcCosines(t *testing.T) {
	set := table(t, 30, 1, wave)
	c := config(t, "features-kernel=arccos1 inducing=9")
	c, notes, err := c.ResolveInputs(t.Context(), set)
	if err != nil || c.Spectra != model.PriorFixed ||
		!strings.Contains(strings.Join(notes, "\n"), "spectra: prior-fixed, since features of arccos1") {
		t.Errorf("%s, %q, %v", c.Spectra, notes, err)
	}
	must.Contain(t, config(t, "features-kernel=arccos1 spectra=var-fixed").Remedy(), "--spectra prior-fixed")
}

// The skip needs a latent function for each output: a default number grows, a user's own leaves the default skip out,
// and where both are given and do not fit the error names sizes that would.
func TestSkipAndLatents(t *testing.T) {
	set := table(t, 60, 1, rings) // three classes
	for options, want := range map[string]struct {
		latents int
		skip    bool
		says    string
	}{
		"":                       {8, true, ""},
		"latents=2":              {2, false, "skip: off, since 2 latent functions are fewer than 3 outputs"},
		"latents=3":              {3, true, ""},
		"latents=2 skip=false":   {2, false, ""},
		"skip=true preset=paper": {10, true, ""},
	} {
		c := config(t, options+" inducing=9")
		c, notes, err := c.ResolveInputs(t.Context(), set)
		must.OK(t, err)
		if c.Latents != want.latents || c.Skip != want.skip || !strings.Contains(strings.Join(notes, "\n"), want.says) {
			t.Errorf("%q: %d latents, skip %v, %q", options, c.Latents, c.Skip, notes)
		}
	}
	if _, _, err := config(t, "latents=2 skip=true inducing=9").ResolveInputs(t.Context(),
		set); !strings.Contains(errorText(err),
		"--skip: the skip adds the 2 latent functions to 3 outputs: give latents 3 or more") {
		t.Error(err)
	}
}

// Where nothing is drawn, samples would all be alike: a run goes through its rows once, with the same result.
func TestSamplesOfNoDraw(t *testing.T) {
	set := table(t, 60, 1, wave)
	one, many := mustFit(t, "model=drf features=7 steps=20", set),
		mustFit(t, "model=drf features=7 steps=20 samples=50", set)
	for i, b := range one.Trained.Parameters {
		for k, v := range b.Data {
			if many.Trained.Parameters[i].Data[k] != v {
				t.Fatalf("%s has %g with 50 samples, %g with one", b.Name, many.Trained.Parameters[i].Data[k], v)
			}
		}
	}
	plan := func(options string) int64 {
		j := &Job{Config: config(t, "model=drf features=7 steps=5 batch=20 "+options), Device: openCPU(t), Train: set}
		p := must.Get(planned(t, j.newRun()))(t)
		return p.Total + p.Host
	}
	if a, b := plan("samples=1"), plan("samples=50"); a != b {
		t.Errorf("50 samples take %d bytes, one %d", b, a)
	}
}
