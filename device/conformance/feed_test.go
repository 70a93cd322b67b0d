package conformance

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// testFeed tests that operations find the pieces of a feed one after the other, while the next ones are on their way.
// The pieces are larger than a backend's buffer, and differ in length. Nothing is read until the end, so that a device
// which runs ahead is not waited for.
func testFeed(t *testing.T, dev device.Device) {
	const rows, width, pieces = 1500, 257, 9
	length := func(piece int) int { return rows - piece%3*700 }
	// exact in float32
	number := func(piece, i int) float64 { return float64(piece*rows*width + i) }
	x, labels := dev.New(device.Real, rows, width), dev.New(device.Int, rows)
	feed := device.NewFeed(dev, x, labels)
	send := func(piece int) {
		n := length(piece)
		values, ints := make([]float64, n*width), make([]int32, n)
		for i := range values {
			values[i] = number(piece, i)
		}
		for i := range ints {
			ints[i] = int32((piece + i) % rows)
		}
		feed.Upload(x.View(0, n, width), values)
		feed.UploadInts(labels.View(0, n), ints)
	}
	var found, counted [pieces]*device.Tensor
	count := dev.New(device.Real, rows, 1) // 0, 1, 2, …, of which labels pick some
	all := make([]float64, rows)
	for i := range all {
		all[i] = float64(i)
	}
	dev.Upload(count, all)
	send(pieces) // is never used
	send(0)
	for piece := range pieces {
		n := length(piece)
		found[piece], counted[piece] = dev.New(device.Real, n, width), dev.New(device.Real, n, 1)
		feed.Next()
		dev.Copy(found[piece], x.View(0, n, width))
		dev.Gather(counted[piece], count, labels.View(0, n))
		send(piece + 1)
	}
	for piece := range pieces {
		n := length(piece)
		got, picked := make([]float64, n*width), make([]float64, n)
		dev.Download(got, found[piece])
		dev.Download(picked, counted[piece])
		for i, v := range got {
			if v != number(piece, i) {
				t.Fatalf("piece %d: number %d is %g, want %g", piece, i, v, number(piece, i))
			}
		}
		for i, v := range picked {
			if v != float64((piece+i)%rows) {
				t.Fatalf("piece %d: whole number %d is %g, want %d", piece, i, v, (piece+i)%rows)
			}
		}
	}
}
