package cuda

import "testing"

// Sizes are in units that leave something before the point.
func TestOutOfMemoryUnits(t *testing.T) {
	for _, c := range []struct {
		err  OutOfMemoryError
		want string
	}{
		{OutOfMemoryError{12, 0, 4 << 30}, "12 bytes of GPU memory are needed where 0 bytes of 4.0 GiB are free"},
		{OutOfMemoryError{12 << 20, 3 << 9, 141 << 30},
			"12.0 MiB of GPU memory are needed where 1.5 KiB of 141.0 GiB are free"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
