package main

import "strings"

// graphSets are the data sets of graphs, in ten folds of all their rows. Nothing is chosen for them
// by hand: the defaults train, and --kernel auto chooses the maps in each fold.
func graphSets() (all []set) {
	for _, g := range []struct {
		name  string
		error float64 // to reach
	}{{"MUTAG", .16}, {"PTC", .42}, {"ENZYMES", .48}, {"IMDBBINARY", .29}, {"NCI1", .16}} {
		name := strings.ToLower(g.name)
		all = append(all, set{name: name, data: "$GPDRF_DATA/graphs/" + g.name, shared: "graphs", kernel: "auto",
			folds: 10, split: true, models: []string{"gpdrf"}, svm: name, exact: true, today: true,
			scores: classification, wanted: []target{atMost("error", g.error, 0)}})
	}
	return all
}
