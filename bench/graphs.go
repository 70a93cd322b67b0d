package main

import "strings"

// graphSets lists the data sets of graphs, in ten folds of all their rows. Nothing is chosen for them by hand: training
// takes the defaults, and --kernel auto chooses the maps in each fold.
func graphSets() (all []set) {
	for _, g := range []struct {
		name  string
		error float64 // the error rate that GP-DRF should reach
	}{{"MUTAG", .16}, {"PTC", .42}, {"ENZYMES", .48}, {"IMDBBINARY", .29}, {"NCI1", .16}} {
		name := strings.ToLower(g.name)
		all = append(all, set{name: name, data: "$GPDRF_DATA/graphs/" + g.name, shared: "graphs", kernel: "auto",
			folds: 10, split: true, models: []string{"gpdrf"}, svm: true, exact: true, defaultsOnly: true,
			scores: classification, targets: []target{atMost("error", g.error, 0)}})
	}
	return append(all, moleculeSets()...)
}

// moleculeSets lists two of MoleculeNet, which make molecules fetches. A molecule is its SMILES alone: the columns that
// others computed from it are left out.
func moleculeSets() (all []set) {
	for _, m := range []struct{ name, reads string }{
		{"ESOL", "--sequence smiles --target 9 --ignore 1,2,3,4,5,6,7,8"},
		{"FreeSolv", "--sequence smiles --target expt --ignore iupac,calc"},
	} {
		name := strings.ToLower(m.name)
		all = append(all, set{name: name, data: "build/molecules/" + m.name + ".csv", reads: m.reads, shared: "graphs",
			kernel: "auto", folds: 10, split: true, models: []string{"gp", "gpdrf"}, svm: true, defaultsOnly: true,
			scores: regression})
	}
	return all
}
