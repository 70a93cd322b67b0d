// Package seq compares inputs of variable size. A sequence of symbols becomes a sparse vector of
// counts with unit length, and kernels are inner products or distances of these vectors.
//
// An Alphabet (alphabet.go) codes the texts of sequences into a Set (set.go). A Spec such as
// double:1,5+spectrum:3 (spec.go) names feature maps (maps.go): of k-mers (kmers.go, gapped.go,
// mismatch.go), words (words.go) and graphs (graphfeatures.go). Fit numbers the features of the
// training sequences (features.go). Features.Rows counts them (counter.go, fill.go) into SparseRows, a
// sparse matrix by rows (rows.go). A map with many features for each symbol counts them itself. A
// Basis (basis.go) has the distances to inducing points, and Choose (choose.go) picks these. Select
// (select.go) finds the best of the Candidates (candidates.go) by held-out rows (loo.go, scores.go).
// A Codebook first turns sequences of vectors (frames.go) into symbols.
//
// # What is exact
//
// A feature is a number below 2⁶², never a hash: different features never share a column. A feature
// that no training sequence has gets no column, but it counts for the length of its vector. So
// ⟨φ(x), φ(x')⟩ is exact for every training sequence x'.
//
// # Unknown symbols
//
// A symbol that stands for no letter (N in DNA, X in proteins, a word or an integer that the
// training sequences do not have) is Unknown. A feature that contains one is left out; it
// is never matched with another. A sequence without any feature, such as one shorter than
// the k of its map, has the zero vector.
package seq
