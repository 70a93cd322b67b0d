package metrics

import (
	"slices"
	"strings"
	"testing"
)

// A rank equals the rank by exact arithmetic. The error of too few rows names the least number that is enough.
func TestConformalRank(t *testing.T) {
	for _, c := range []struct {
		n    int
		of   float64
		rank int
	}{{9, 0.9, 9}, {8, 0.9, 9}, {19, 0.95, 19}, {99, 0.99, 99}, {9, 0.7, 7}, {10, 0.7, 8}, {5, 0.001, 1}} {
		if got := ConformalRank(c.n, c.of); got != c.rank {
			t.Errorf("%d rows at level %g: rank %d, expected %d", c.n, c.of, got, c.rank)
		}
	}
	for level, want := range map[float64]string{
		0.9: "at least 9 rows", 0.95: "at least 19 rows", 0.99: "at least 99 rows",
		0.99999: "at least 99999 rows", 0: "above 0 and below 1", 1: "above 0 and below 1", -1: "above 0"} {
		if err := CheckConformal(8, level); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("level %g: %v, expected %q", level, err, want)
		}
	}
	for level, n := range map[float64]int{0.9: 9, 0.95: 19, 0.5: 1} {
		if err := CheckConformal(n, level); err != nil {
			t.Error(err)
		}
	}
}

// Classes of one probability have one score, and the most probable have 0.
func TestMassAbove(t *testing.T) {
	got := AdaptiveSetScores([]float64{0.125, 0.5, 0.125, 0.25})
	if want := []float64{0.75, 0, 0.75, 0.5}; !slices.Equal(got, want) {
		t.Errorf("scores %v, expected %v", got, want)
	}
}
