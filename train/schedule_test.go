package train

import (
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

func TestSchedule(t *testing.T) {
	s := newSchedule(config(t, "steps=1000 lr=0.01 warmup=100 kl-weight=0.5 kl-warmup=0.2 "+
		"freeze-omega=50 freeze-kernel=70"))
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-4*want {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("half-way through the warm-up", s.learningRate(50), 0.005*0.5*(1+math.Cos(math.Pi*0.049))+0.005e-3)
	near("half-way through the run", s.learningRate(501), 0.01*0.501)
	near("at the end", s.learningRate(1000), 0.01*(finalRateShare+2.5e-6))
	near("KL half-way through its warm-up", s.klWeight(100), 0.25)
	near("KL after it", s.klWeight(200), 0.5)
	for _, c := range []struct {
		role  model.Role
		step  int
		fixed bool
	}{
		{model.Spectra, 50, true}, {model.Spectra, 51, false}, {model.Kernel, 70, true}, {model.Kernel, 71, false},
		{model.InducingOutputs, 900, false}, {model.Fixed, 900, true}, {model.InducingPoints, 1, false},
		{model.Variational, 1, false},
	} {
		if got := s.fixed(c.role, c.step); got != c.fixed {
			t.Errorf("role %d at step %d: fixed %v", c.role, c.step, got)
		}
	}
	natural := newSchedule(config(t, "steps=1000 warmup=100 decay=none natgrad=0.2"))
	near("natural steps half-way through the warm-up", natural.naturalStepSize(50), 0.2*math.Sqrt(naturalWarmupStart))
	near("natural steps after it", natural.naturalStepSize(100), 0.2)
	natural.config.Decay = "cosine"
	near("natural steps half-way through the run", natural.naturalStepSize(501), 0.2*0.501)
	if natural.naturalStepSize(100) > 0.2 {
		t.Error("natural steps are larger than they are to be")
	}
	if !natural.fixed(model.InducingOutputs, 1) {
		t.Error("Adam moves q(F̄), and natural steps do too")
	}
	for step := 2; step < 100; step++ {
		var differs bool
		for _, r := range []model.Role{model.Variational, model.Spectra, model.Kernel, model.InducingPoints} {
			differs = differs || s.fixed(r, step) != s.fixed(r, step-1)
		}
		if differs != s.changesFixed(step) {
			t.Errorf("step %d: what is fixed changes: %v, changes says %v", step, differs, s.changesFixed(step))
		}
	}
}

// A run that is stopped while its rate is high says so, also where its config repeats it.
func TestUnfinishedWarning(t *testing.T) {
	for options, want := range map[string]string{
		"steps=100 stop-after=20":            "after 20 of 100 planned steps, with the learning rate still at 91 %",
		"steps=100 stop-after=80":            "",
		"steps=100":                          "",
		"steps=100 stop-after=20 decay=none": "",
	} {
		told := &quiet{}
		dev := openCPU(t)
		job := &Job{Config: config(t, options+" batch=20 inducing=5"), Device: dev, Train: table(t, 30, 1, wave),
			Reporter: told}
		out := must.Get(job.Run(t.Context()))(t)
		said := strings.Join(told.notes, "\n")
		if got := UnfinishedWarning(out.Config); !strings.Contains(got, want) || (got == "") != (want == "") ||
			!strings.Contains(said, got) || got == "" && strings.Contains(said, "planned steps") {
			t.Errorf("%s: %q, said %q", options, got, said)
		}
	}
}
