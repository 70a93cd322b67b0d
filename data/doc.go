// Package data reads tables of numbers and sequences, and splits their rows. Package data/sets knows the named sets,
// fetches and checks them.
//
// # From a file to a Dataset
//
// ReadFile reads a file, Load a training set and a test set, and FromRows takes rows from memory (memory.go). files.go
// opens files and pipes, and text.go undoes gzip and checks the encoding. The first bytes of a file tell its format.
// formats.go has a row for each, with the reader that makes a table of the file, and turns the table into a Dataset.
//
// Text tables, ARFF, JSON, Parquet and Arrow have one reader (csv.go) of rows of cells (records.go). dialect.go finds
// out how a text is written, and header.go if its first row names the columns. profile.go counts the values of each
// column, and package data/cellformat knows how people write them. Each column then gets its role (roles.go,
// layout.go): an input, several for text, the target and its classes (target.go; several: severaltargets.go), or none.
// missing.go treats missing cells. A second reading keeps the values. The Schema (schema.go) keeps the roles, and other
// files are read once, by it.
//
// libsvm.go reads LIBSVM. Arrays (npy.go, arrays.go, npz.go), and IDX images, which are arrays with another header, may
// have their targets in another file (targetfile.go). Sequences (sequences.go) come from FASTA (fasta.go), lists
// (lists.go) or a column (seqcolumn.go), and graphs from JSON or a folder (graphs.go), SMILES or SDF (molecules.go);
// seqlabels.go reads their labels. A Gram (gram.go) is a kernel that was computed elsewhere.
//
// # Behind the readers
//
// load.go and splits.go split training, validation and test rows. Package data/scaling has what is fitted on training
// rows only, and package data/summary describes a set. docs/data.md describes all formats for users.
//
// # Errors
//
// A mistake in a file is an *Error, with file, line and column, or byte. Any other failure, such as that of a disk, is
// an ordinary error.
package data
