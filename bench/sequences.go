package main

import (
	"cmp"
	"strings"
)

// sequenceSets are the data sets of sequences. Feature maps were chosen by cross-validation of a
// support vector machine on the training rows; pseudo-inputs, latent functions, features and steps
// on two to five folds of these rows, and the weight of the divergences on rows held out of them.
func sequenceSets() (all []set) {
	const (
		tempered = "The weight of the divergences, 0.3, was chosen on held-out training rows: the objective is tempered and is no bound."
		ownSplit = "The paper's sequences in a split of our own."
		release  = "Another release of the database than the paper's."
		sizes    = "Of the paper's documents only the number is known."
		fastsk   = "An exact gapped k-mer SVM (FastSK's table) has an AUC of "
	)
	music := set{name: "music", kernel: "spectrum:1/sqrt/linear", note: ownSplit,
		paper: map[string]float64{"gp": .350, "drf": .660, "gpdrf": .300}, wanted: []target{atMost("error", .30, .26)}}
	scop := set{name: "scop", kernel: "double:1,5", note: release,
		paper: map[string]float64{"gp": .301, "drf": .381, "gpdrf": .286}, wanted: []target{atMost("error", .37, .32)}}
	reuters := set{name: "reuters", kernel: "words:1/log/tfidf/linear", note: sizes,
		paper: map[string]float64{"gp": .050, "drf": .020, "gpdrf": .017}, wanted: []target{atMost("error", .021, .016)}}
	rad21 := set{name: "rad21", kernel: "gapped:10,4/rc/linear", note: fastsk + "0.974.", wanted: []target{atLeast("auc", .965)}}
	remote := set{name: "2.41", kernel: "gapped:10,6", note: fastsk + "0.921. Only 6 of the 1219 test rows are of the second class. " +
		"Folds of the training rows tell no maps apart; clusters of the second class that are left out do, by less than 0.001, and trials that saw test figures agreed. The kernel is exponential " +
		"as SCOP's: with the linear one, AUC on the test rows is .857 (.564 tempered). With six of them, its standard error is near .08.",
		wanted: []target{atLeast("auc", .91)}}

	// All rows where they are few: sequences are far from each other, and one that is no
	// pseudo-input hardly teaches.
	inducing := map[string]string{"music": "900", "scop": "1500", "reuters": "3000", "rad21": "2000", "2.41": "1400"}
	for _, s := range []set{music, music.inFolds(10, .32), scop, scop.inFolds(5, .37), reuters, reuters.inFolds(5, .021), rad21, remote} {
		s.scores = classification
		if s.wanted[0].key == "auc" {
			s.scores = []score{{key: "auc", name: "AUC", higher: true}, {key: "nll", name: "NLL"}, {key: "ece", name: "ECE"}}
		}
		s.data, s.svm = cmp.Or(s.data, s.name), s.name
		layer := "--steps 300 --lr 0.05 --inducing " + inducing[s.data]
		s.own = map[string]string{"gp": layer, "drf": "--steps 2000 --features 500", "gpdrf": layer + " --features 20"}
		t := s
		t.name, t.args, t.note = s.name+"-tempered", "--kl-weight 0.3", strings.TrimSpace(s.note+" "+tempered)
		if s.split {
			t.models = []string{"gpdrf"}
		}
		all = append(all, s, t)
	}
	return all
}

// inFolds is the set in folds of all its rows. An error that GP-DRF should reach is to.
func (s set) inFolds(folds int, to float64) set {
	f := s
	f.name, f.data, f.folds, f.split = s.name+"-folds", s.name, folds, true
	f.note = "All rows, those of the split for training and for testing, in folds with equal shares of each class."
	f.wanted = []target{atMost(s.wanted[0].key, to, s.wanted[0].goal)}
	return f
}
