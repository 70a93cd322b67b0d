package seq

import (
	"fmt"
	"strings"
)

// Notes say what was chosen, by which numbers, and what was not tried.
func (s *Selection) Notes() []string {
	head := fmt.Sprintf("kernel auto: %s", s.Spec)
	if len(s.Scores) > 0 {
		head += fmt.Sprintf(", by −log p of %d training rows that are left out:", s.Scores[0].Rows)
	}
	notes := []string{head}
	for _, c := range s.Scores {
		line := fmt.Sprintf("  %-36s %.4f ± %.4f, error %.4f", c.Spec, c.NLL, c.SE, c.Errors)
		if c.AUC > 0 {
			line += fmt.Sprintf(", AUC of rare classes %.4f", c.AUC)
		}
		notes = append(notes, line)
	}
	for _, rest := range []struct {
		specs []Spec
		why   string
	}{{s.Costly, "they would take too long on these sequences"}, {s.Late, "a quarter of the time limit was over"}} {
		if rest.specs == nil {
			continue
		}
		names := make([]string, len(rest.specs))
		for i, spec := range rest.specs {
			names[i] = spec.String()
		}
		notes = append(notes, fmt.Sprintf("  not tried, since %s: %s", rest.why, strings.Join(names, ", ")))
	}
	return notes
}
