package seq

import (
	"testing"
)

// TestCandidates: candidates fit their alphabets, and candidates with positions are for sequences of one length.
func TestCandidates(t *testing.T) {
	for _, k := range symbolKinds() {
		set := encode(t, k, randomLines(k, 10, 10, 1)...)
		specs := Candidates(set)
		if len(specs) < 2 {
			t.Errorf("%s has %d candidates", k, len(specs))
		}
		for _, s := range specs {
			for _, term := range s {
				if _, err := Fit(t.Context(), term, set); err != nil {
					t.Errorf("%s over %s: %v", s, k, err)
				}
				if m, _ := mapNamed(term.Map); m.Positions {
					t.Errorf("%s of sequences of many lengths", s)
				}
			}
		}
	}
}
