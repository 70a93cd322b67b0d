// Package data reads tables of numbers and sequences, and fits the scalings that a model keeps.
// Package data/sets knows the named sets, fetches and checks them.
//
// ReadFile reads a file, Load a training and a test set, and FromRows (fromrows.go) takes rows from
// memory. The first bytes of a file, plain or gzip (open.go), tell its format (formats.go). The
// reader of that format makes a tensor of the inputs and a list of the targets (read.go), which are
// numbers or classes (target.go). Load (load.go, named.go, folds.go) joins a training and a test
// set. A Scaler (scaler.go) is fitted on training rows only. Summarize describes a set for people
// and programs.
//
// The first rows of a text table show how it is written (dialect.go, rows.go, records.go). A first
// reading of a training table counts the values of each column (profile.go). Then each column gets
// its role (roles.go, layout.go): an input, several for text (onehot.go), the target and its
// classes (target.go), or none. missing.go treats missing cells. A second reading keeps the values
// (csv.go). The Schema keeps the roles, and other files are read once, by it. libsvm.go reads
// LIBSVM. IDX images (idx.go) and arrays (npy.go, arrays.go, npz.go) have their targets in another
// file (targets.go). Sequences (sequences.go) come from FASTA (fasta.go), from lists (seqlines.go)
// or from a column (seqcolumn.go), with their labels (seqlabels.go). A Gram (gram.go) is a kernel
// that was computed elsewhere. Pipes are copied first (spool.go), and reading can be stopped
// (watch.go). docs/data.md describes all formats for users.
//
// # Errors
//
// A mistake in a file is an *Error, with file, line and column, or byte. Any other failure, such as
// that of a disk, is an ordinary error.
package data
