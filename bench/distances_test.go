package main

import (
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestCountDistances(t *testing.T) {
	bins, err := countDistances(strings.NewReader("label,p_0,p_1,entropy,bhattacharyya,target\n" +
		"1,0.5,0.5,0.6,1.5,1\n0,0.5,0.5,0.6,0.015,1\n0,0.5,0.5,0.6,,0\n"))
	must.OK(t, err)
	right, wrong := 0, 0
	for i := range bins.Right {
		right += bins.Right[i]
		wrong += bins.Wrong[i]
	}
	if right != 1 || wrong != 1 || bins.Right[33] != 1 || bins.Wrong[17] != 1 {
		t.Errorf("right %v, wrong %v", bins.Right, bins.Wrong)
	}
	if _, err := countDistances(strings.NewReader("label,p_0\n1,0.5\n")); err == nil {
		t.Error("predictions without a target were read")
	}
}

// Folds count by their right and by their wrong rows, and one without wrong rows has no mean of them.
func TestPooled(t *testing.T) {
	fold := func(rows int, wrong float64, distances map[string]any) *record {
		return &record{NTest: rows, Test: map[string]any{"error": wrong, "bhattacharyya": distances}}
	}
	got := pooledDistances([]*record{
		fold(100, 0.1, map[string]any{"correct": 10., "wrong": 1., "auroc": 0.9}),
		fold(50, 0.6, map[string]any{"correct": 21., "wrong": 2., "auroc": 0.8}),
		fold(10, 0, map[string]any{"correct": 32., "wrong": nil, "auroc": nil}),
	})
	// (90·10 + 20·21 + 10·32)/120, (10·1 + 30·2)/40
	if want := [3]string{"13.67", "1.75", "0.850"}; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	right := []*record{fold(10, 0, map[string]any{"correct": 32.})}
	if got := pooledDistances(right); got != [3]string{"32.00", none, none} {
		t.Errorf("%q", got)
	}
}
