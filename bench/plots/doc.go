// Package plots draws the pictures of the documents, as PNG: histograms of two kinds of rows side by side, and a
// predictive band over one input.
package plots
