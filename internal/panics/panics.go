// Package panics tells tests what a function panics with.
package panics

// Of calls f and returns the value of its panic, or nil.
func Of(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
