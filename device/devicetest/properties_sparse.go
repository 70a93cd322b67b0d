package devicetest

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// unitSparse: whatever the weights, SparseBlock is 1 to the bit where all distances are 0, and Kuu
// is symmetric to the bit where d is.
func unitSparse(t *testing.T, dev device.Device, _ Tolerances) {
	const k, m, maps = 5, 37, 3
	r := newRandom(4)
	d := make([]float64, m*maps*m)
	for row := range m {
		for i := range maps {
			for column := range row {
				v := 2 * r.Float64()
				d[(row*maps+i)*m+column], d[(column*maps+i)*m+row] = v, v
			}
		}
	}
	c := dev.New(device.Double, k, m, m)
	dev.SparseBlock(device.SparseBlockArgs{C: c, D: put(dev, device.Double, d, m, maps*m),
		Logits:   upload(dev, r.normal("logits", device.Double, none, 0, 3, k, maps)),
		LogSigma: upload(dev, r.normal("logsigma", device.Double, none, 0, 1, k, maps)),
		Linear:   []bool{false, true, false}})
	got := download(dev, c)
	for i, v := range got {
		if row, column := i/m%m, i%m; row == column && v != 1 {
			t.Fatalf("the diagonal is %.17g", v)
		} else if mirror := got[i/(m*m)*m*m+column*m+row]; v != mirror {
			t.Fatalf("element (%d, %d) is %.17g, its mirror %.17g", row, column, v, mirror)
		}
	}
}
