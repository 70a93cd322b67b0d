// Package seq compares inputs of variable size. A sequence of symbols becomes a sparse vector of counts with unit
// length, and kernels are inner products or distances of these vectors.
//
// An Alphabet (alphabet.go) codes the texts of sequences into a Set (set.go). A Spec such as double:1,5+spectrum:3
// (spec.go) names feature maps (maps.go): of k-mers (kmers.go, gapped.go, mismatch.go), words (words.go) and graphs
// (graphfeatures.go). Fit numbers the features of the training sequences (features.go). Features.Rows counts them
// (counter.go, fill.go) into SparseRows, a sparse matrix by rows (rows.go). A map with many features for each symbol
// counts them itself. InducingSequences (inducing.go) have the distances to inducing points, and ChooseInducing
// (choose.go) picks these. Select (select.go) finds the best of the Candidates (candidates.go) by held-out rows
// (blockcv.go, scores.go). A Codebook first turns sequences of vectors (frames.go) into symbols.
//
// # Distances
//
// Inducing points are training sequences and do not move, so the distances ‖φ_i(x_n) − φ_i(x̄_m)‖² never change.
// InducingSequences.Distances computes this table [N,I·M] once, on the host, and a training step touches no string. If
// the table does not fit the device, model.SequenceFeatures replaces it: the features that each sequence shares with
// the inducing points. device.SparseDistances then computes the distances of a batch in every step. The plan of a
// training measures both. Both ways give the same bits on every device, except for /raw gapped k-mers, which differ by
// rounding. Distances of rows are single on a :f32 device, and those among inducing points are double. A prediction
// uploads one batch of rows at a time (model.Model.Stream), so its memory on the device does not depend on their
// number. A training does so where its rows do not fit (model.Model.StreamForTraining).
//
// # What is exact
//
// A feature is a number below 2⁶², never a hash: different features never share a column. A feature that no training
// sequence has gets no column, but it counts for the length of its vector. So ⟨φ(x), φ(x')⟩ is exact for every training
// sequence x'.
//
// # Unknown symbols
//
// A symbol that stands for no letter (N in DNA, X in proteins, a word or an integer that the training sequences do not
// have) is Unknown. A feature that contains one is left out; it is never matched with another. A sequence without any
// feature, such as one shorter than the k of its map, has the zero vector.
package seq
