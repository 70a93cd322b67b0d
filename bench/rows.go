package main

// Settings by data set. They come from held-out training rows and from the public
// settings of the same model, never from the test rows printed here.
const (
	powerplant = "--steps 10000 --lengthscales ard --q-cov full"
	eeg        = "--steps 3000"
	protein    = "--steps 4000"
)

// rows are the lines of docs/results.md in order.
func rows() []row {
	return []row{
		{"powerplant", 1, "gpdrf", powerplant, ".194"},
	}
}
