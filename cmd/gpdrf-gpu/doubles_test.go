package main

import (
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// TestLeastDoubles holds the estimates of a note against a count by hand. Distances of a batch to
// X̄ and their two gradients take 3·J·B·M·D products of doubles, at 1.29 TFLOP/s. The rest of the
// layer is less than that.
func TestLeastDoubles(t *testing.T) {
	const d, latents, inducing, batch = 784, 50, 200, 1000
	peak := workload.PeakOf("NVIDIA GeForce RTX 4090, 24 GiB")
	c := model.Config{Model: model.GP, Inputs: d, Outputs: latents, Likelihood: model.GaussianLikelihood,
		Latents: latents, Inducing: inducing, Kernel: "rbf", QCov: model.Full, Whiten: true,
		LearnInducing: true, Samples: 10}
	own, shared, err := leastDoubles(peak, c, batch)
	if err != nil {
		t.Fatal(err)
	}
	byHand := time.Duration(3 * 2 * latents * batch * inducing * d / 1290) // ns
	if own < byHand || own > 2*byHand {
		t.Errorf("own length-scales: %v, by hand %v and more", own, byHand)
	}
	if shared > own/2 {
		t.Errorf("shared length-scales: %v, own %v", shared, own)
	}
	const want = "by its data sheet 50 ms of a step or more, with --lengthscales shared 5.7 ms"
	if text := leastText(own, shared); text != want {
		t.Errorf("the note ends with %q, expected %q", text, want)
	}
}
