// Package data reads tables of numbers and sequences, and fits the scalings that a model keeps.
// Package data/sets knows the named sets, fetches and checks them.
//
// The way of the data: the first bytes of a file, plain or gzip (open.go), tell its
// format (formats.go), whose reader makes a tensor of the inputs and a list of the
// targets (read.go), which are reals or classes (target.go). Load (load.go, named.go,
// folds.go) puts a training and a test set together; a Scaler (scaler.go) is fitted on
// training rows only. Summarize describes a set for people and programs.
//
// How a table of text is written is found out from its first rows (dialect.go, rows.go,
// records.go). Of a training table a first reading counts what stands in each column (profile.go);
// then each column gets its role (roles.go, layout.go): an input, several for text (onehot.go), the
// target and its classes (target.go), or none. Missing cells are missing.go. A second reading keeps
// the values (csv.go). The Schema keeps the roles, and other files are read by it once. LIBSVM is
// libsvm.go. IDX images (idx.go) and arrays (npy.go, arrays.go, npz.go) have their targets in
// another file (targets.go). Sequences (sequences.go) stand in FASTA (fasta.go), in lists
// (seqlines.go) or in a column (seqcolumn.go), with labels of their own (seqlabels.go); a kernel
// that was computed elsewhere is a Gram (gram.go). Pipes are copied first (spool.go), and reading
// can be stopped (watch.go). docs/data.md describes all formats for users.
//
// # Errors
//
// What is wrong with a file is an *Error, with file, line and column, or byte. Anything
// else that goes wrong while reading, a failing disk for one, is an ordinary error.
package data
