// Package version holds the version of the program.
package version

// Number is the version without build details.
const Number = "0.2.0"
