// Package data reads tables of numbers, the named benchmark sets, and the
// scalings that a model keeps.
//
// The way of the data: the first bytes of a file, plain or gzip (open.go), tell its
// format (formats.go), whose reader makes a tensor of the inputs and a list of the
// targets (read.go), which are reals or classes (target.go). Load (load.go, named.go,
// sets.go, folds.go) puts a training and a test set together; a Scaler (scaler.go) is fitted on
// training rows only. Summarize describes a set for people and programs.
//
// A CSV file is told its separator and its header (records.go), and its columns are
// matched to inputs and a target (layout.go); text may be encoded (onehot.go). LIBSVM
// is libsvm.go. IDX images (idx.go) and arrays (npy.go, arrays.go, npz.go) have their
// targets in another file (targets.go). Sequences (sequences.go) stand in FASTA (fasta.go),
// in lists (seqlines.go) or in a column (seqcolumn.go), with labels of their own (seqlabels.go);
// a kernel that was computed elsewhere is a Gram (gram.go). docs/data.md describes all formats for users.
//
// # What a CSV file may look like
//
// One row per example, cells separated by comma, semicolon or tab (found out),
// lines ended by LF or CRLF, quoted cells allowed, UTF-8 with or without a byte
// order mark, compressed with gzip or not (told by the content, not by the name).
// The first row is a header when any of its cells is text; otherwise the columns
// are called x0, x1, …. Every cell that is used must be a finite number: nothing
// is guessed or filled in.
//
// # Errors
//
// What is wrong with a file is an *Error, with file, line and column, or byte. Anything
// else that goes wrong while reading, a failing disk for one, is an ordinary error.
package data
