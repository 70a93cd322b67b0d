// Package panics tells tests what a function panics with.
package panics

// Of is what f panics with, or nil.
func Of(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
