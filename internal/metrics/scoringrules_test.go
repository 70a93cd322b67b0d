package metrics

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// scoringCase is a predictive distribution with its CRPS by scoringrules: testdata/crps.py.
type scoringCase struct {
	Name                     string // name of the components: normal, student, lognormal
	Y, CRPS                  float64
	Mean, Scale, Weight, DOF []float64
}

func (c scoringCase) crps() float64 {
	m := Mixture{S: len(c.Mean), N: 1, Mean: c.Mean, Var: make([]float64, len(c.Mean)), Weight: c.Weight}
	for s, scale := range c.Scale {
		m.Var[s] = scale * scale
	}
	if c.DOF != nil {
		t := NewStudentT(c.DOF[0])
		for range m.S {
			m.Student = append(m.Student, t)
		}
	}
	if c.Name == "lognormal" {
		return LogNormalMixture{Mixture: m, Unit: 1, Top: maxLog}.CRPS(0, c.Y)
	}
	return m.CRPS(0, c.Y)
}

// The CRPS agrees with scoringrules: of normals, Student's t and log-normals, alone and mixed.
func TestCRPSOfScoringrules(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/crps.json"))(t)
	var cases struct{ Closed, Ensemble []scoringCase }
	must.OK(t, json.Unmarshal(text, &cases))
	found := map[string]int{}
	for _, c := range cases.Closed {
		tolerance := 1e-9
		if c.Name == "student" { // integrated until two sums agree
			tolerance = 1e-6
		}
		check(t, "closed form of "+c.Name, c.crps(), c.CRPS, tolerance)
		found[c.Name]++
	}
	for _, c := range cases.Ensemble { // an ensemble is 4000 quantiles, which cut the tails
		check(t, "ensemble of "+c.Name, c.crps(), c.CRPS, 2e-4)
		found[c.Name]++
	}
	if len(found) != 3 || len(cases.Ensemble) == 0 {
		t.Errorf("cases by components: %v", found)
	}
}
