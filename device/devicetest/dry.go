package devicetest

import (
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Dry tests that a dry device takes what a new device takes for the same operations, no more and no less.
func Dry(t *testing.T, open func() device.Device) {
	for _, diagonal := range []bool{true, false} {
		for _, k := range []int{1, 3} {
			w := Workload{D: 3, M: 170, B: 100, K: k, J: 3, R: 170, S: 2, DOut: 2, Diagonal: diagonal}
			dev := open()
			before := dev.Taken()
			dry, ledger := dev.Dry()
			real, hollow := Operations(dev, w), Operations(dry, w)
			for i, op := range real {
				op.Run()
				hollow[i].Run()
				if taken := dev.Taken() - before; taken != ledger.Total() {
					t.Fatalf("K=%d, diagonal %v: after %s %d bytes are taken, %d were foreseen", k, diagonal, op.Name, taken, ledger.Total())
				}
			}
			runtime.KeepAlive(real)
		}
	}
}
