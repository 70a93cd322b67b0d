// Package graph reads graphs and trees, and counts the parts that occur in them.
//
// A text becomes a Graph or a Tree: JSON (json.go), SMILES (smiles.go), MOL (mol.go), bracketed trees and Newick
// (trees.go), or a folder of TUDataset (tudataset.go), each row of which is written as JSON. A Graph is coded as whole
// numbers (codes.go), so that a data set of graphs is one array, as a set of sequences is. A Map (maps.go, a file for
// each family) lists the features of a coded graph. Package seq counts them, and compares graphs as it compares
// sequences.
//
// # What is exact
//
// A feature is a chain of symbols: a label, the colours of the neighbours in order. Chains are numbered as they come
// (Work.Down), so that two features have the same number only if they are the same. Nothing is hashed.
//
// # Unknown labels
//
// A label that training did not have is Unknown. A feature that contains one is left out.
package graph
