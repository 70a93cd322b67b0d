// Package seq makes variable-sized inputs comparable: a sequence of symbols becomes a
// sparse vector of counts with unit length, and kernels are inner products of those.
//
// The way of a sequence: its text is coded by an Alphabet (alphabet.go) into a Set (set.go); a Spec
// such as double:1,5+spectrum:3 (spec.go) names feature maps (maps.go, one file each); Fit numbers
// the features of the training sequences (features.go), and Features.Rows counts them (counter.go,
// fill.go) into Rows, a matrix by rows of what is not zero; a map with many features for each
// symbol counts them itself (map_gapped.go, map_mismatch.go). Dots and Distances (kernel.go)
// compare rows, Choose (choose.go) picks pseudo-inputs among them. Select (select.go) finds the
// best of the Candidates (auto.go) by rows that are left out (loo.go), as long as their cost
// (cost.go) allows. Sequences of vectors (frames.go) go through a Codebook first, which makes
// symbols of them.
//
// # What is exact
//
// A feature is a number below 2⁶², never a hash: two features share a column only if they
// are the same. A feature that no training sequence has gets no column, but counts for the
// length of its vector, so that ⟨φ(x), φ(x')⟩ is what the definition says for every
// training sequence x'.
//
// # Unknown symbols
//
// A symbol that stands for no letter (N in DNA, X in proteins, a word or an integer that the
// training sequences do not have) is Unknown. A feature that contains one is left out; it
// is never matched with another. A sequence without any feature, such as one shorter than
// the k of its map, has the zero vector.
package seq
