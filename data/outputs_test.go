package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Levels have the order that is asked for, or that of their numbers; what has none is refused.
func TestOrderOfLevels(t *testing.T) {
	for _, c := range []struct {
		classes, levels string
		want, wrong     string
	}{
		{"high low mid", "low mid high", "low mid high", ""},
		{"1 2 10", "", "1 2 10", ""},
		{"1 10 2", "", "1 2 10", ""},
		{"1 2 10", "10 2 1", "10 2 1", ""},
		{"true 0.5 False", "", "False 0.5 true", ""},
		{"high low mid", "", "", `are words, such as "high", which have no order`},
		{"high low mid", "low high", "", `--set order has the levels "low", "high", and the classes`},
		{"high low mid", "low mid hihg high", "", `--set order has the levels "low", "mid", "hihg", "high"`},
		{"high low mid", "low mid mid high", "", `has the levels "low", "mid", "mid", "high"`},
	} {
		d := &Dataset{Task: Classification, Target: "y", Classes: strings.Fields(c.classes),
			Labels: []int32{2, 0, -1, 1}}
		var before []string
		for _, l := range d.Labels {
			before = append(before, fmt.Sprint(l < 0, d.Classes[max(l, 0)]))
		}
		var levels []string
		if c.levels != "" {
			levels = strings.Fields(c.levels)
		}
		err := d.OrderClasses(levels)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s as %s: %v", c.classes, c.levels, err)
			}
			continue
		}
		if err != nil || !slices.Equal(d.Classes, strings.Fields(c.want)) {
			t.Errorf("%s as %s: %v, %v", c.classes, c.levels, d.Classes, err)
			continue
		}
		for i, l := range d.Labels {
			if l >= 0 && fmt.Sprint(false, d.Classes[l]) != before[i] {
				t.Errorf("%s as %s: row %d is %s, was %s", c.classes, c.levels, i, d.Classes[l], before[i])
			}
		}
	}
}
