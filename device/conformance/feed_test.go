package conformance

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// testFeed tests that operations find the batches of a feed one after the other, while the next ones are on their way.
// The batches are larger than a backend's buffer, and differ in length. Nothing is read until the end, so that a device
// which runs ahead is not waited for.
func testFeed(t *testing.T, dev device.Device) {
	const rows, width, batches = 1500, 257, 9
	length := func(batch int) int { return rows - batch%3*700 }
	// exact in float32
	number := func(batch, i int) float64 { return float64(batch*rows*width + i) }
	x, labels := dev.New(device.Real, rows, width), dev.New(device.Int, rows)
	feed := device.NewFeed(dev, x, labels)
	send := func(batch int) {
		n := length(batch)
		values, ints := make([]float64, n*width), make([]int32, n)
		for i := range values {
			values[i] = number(batch, i)
		}
		for i := range ints {
			ints[i] = int32((batch + i) % rows)
		}
		feed.Upload(x.View(0, n, width), values)
		feed.UploadInts(labels.View(0, n), ints)
	}
	var found, counted [batches]*device.Tensor
	count := dev.New(device.Real, rows, 1) // 0, 1, 2, …, of which labels pick some
	all := make([]float64, rows)
	for i := range all {
		all[i] = float64(i)
	}
	dev.Upload(count, all)
	send(batches) // is never used
	send(0)
	for batch := range batches {
		n := length(batch)
		found[batch], counted[batch] = dev.New(device.Real, n, width), dev.New(device.Real, n, 1)
		feed.Next()
		dev.Copy(found[batch], x.View(0, n, width))
		dev.Gather(counted[batch], count, labels.View(0, n))
		send(batch + 1)
	}
	for batch := range batches {
		n := length(batch)
		got, picked := make([]float64, n*width), make([]float64, n)
		dev.Download(got, found[batch])
		dev.Download(picked, counted[batch])
		for i, v := range got {
			if v != number(batch, i) {
				t.Fatalf("batch %d: number %d is %g, want %g", batch, i, v, number(batch, i))
			}
		}
		for i, v := range picked {
			if v != float64((batch+i)%rows) {
				t.Fatalf("batch %d: whole number %d is %g, want %d", batch, i, v, (batch+i)%rows)
			}
		}
	}
}
