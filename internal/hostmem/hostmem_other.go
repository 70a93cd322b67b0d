//go:build !linux

package hostmem

// Available returns false: the available memory is not known here.
func Available() (bytes int64, known bool) { return available("", nil) }
