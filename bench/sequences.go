package main

import "cmp"

// sequenceSets lists the data sets of sequences. Feature maps were chosen by cross-validation of a support vector
// machine on the training rows; inducing points, latent functions, features and steps on two to five folds of these
// rows.
func sequenceSets() (all []set) {
	music := set{name: "music", kernel: "spectrum:1/sqrt/linear",
		paper: map[string]float64{"gp": .350, "drf": .660, "gpdrf": .300}, targets: []target{atMost("error", .30, .26)}}
	scop := set{name: "scop", kernel: "double:1,5",
		paper: map[string]float64{"gp": .301, "drf": .381, "gpdrf": .286}, targets: []target{atMost("error", .37, .32)}}
	reuters := set{name: "reuters", kernel: "words:1/log/tfidf/linear",
		paper:   map[string]float64{"gp": .050, "drf": .020, "gpdrf": .017},
		targets: []target{atMost("error", .021, .016)}}
	rad21 := set{name: "rad21", kernel: "gapped:10,4/rc/linear", targets: []target{atLeast("auc", .965)}}
	remote := set{name: "2.41", kernel: "gapped:10,6", targets: []target{atLeast("auc", .91)}}

	// If there are few rows, all are inducing points: sequences are far from each other, and a sequence that is no
	// inducing point has little effect.
	inducing := map[string]string{"music": "900", "scop": "1500", "reuters": "3000", "rad21": "2000", "2.41": "1400"}
	for _, s := range []set{music, music.inFolds(10, .32), scop, scop.inFolds(5, .37), reuters,
		reuters.inFolds(5, .021), rad21, remote} {
		s.scores = classification
		if s.targets[0].key == "auc" {
			s.scores = []score{{key: "auc", name: "AUC", higher: true}, {key: "nll", name: "NLL"},
				{key: "ece", name: "ECE"}}
		}
		s.data = cmp.Or(s.data, s.name)
		s.svm = true
		layer := "--steps 300 --lr 0.05 --inducing " + inducing[s.data]
		s.own = map[string]string{"gp": layer, "drf": "--steps 2000 --features 500", "gpdrf": layer + " --features 20"}
		all = append(all, s)
	}
	return all
}

// inFolds returns the set in folds of all its rows. to is the error that GP-DRF should reach.
func (s set) inFolds(folds int, to float64) set {
	f := s
	f.name, f.data, f.folds, f.split = s.name+"-folds", s.name, folds, true
	f.targets = []target{atMost(s.targets[0].key, to, s.targets[0].goal)}
	return f
}
