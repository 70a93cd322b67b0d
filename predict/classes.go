package predict

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Classes is the prediction of a classification. It lets go of the logits, which may fill the memory.
type Classes struct {
	names []string
	width int       // C
	mean  []float64 // [N,C]
}

// NewClasses returns the prediction of the classes that the model knows.
func NewClasses(t *fitted.Model, p *model.Prediction) *Classes {
	return &Classes{t.Schema.Classes, p.C, metrics.Probabilities(p.H, p.S, p.N, p.C)}
}

// Probabilities returns the probabilities of row i, in the order of the classes.
func (c *Classes) Probabilities(i int) []float64 { return c.mean[i*c.width : (i+1)*c.width] }

// Label returns the most probable class of row i.
func (c *Classes) Label(i int) string { return c.names[metrics.Argmax(c.Probabilities(i))] }

// Set returns the classes of row i whose metrics.MassAbove is at most q, in their order.
func (c *Classes) Set(i int, q float64) (classes []string) {
	for k, mass := range metrics.MassAbove(c.Probabilities(i)) {
		if mass <= q {
			classes = append(classes, c.names[k])
		}
	}
	return classes
}

// Entropy returns the entropy of row i, in nats.
func (c *Classes) Entropy(i int) (entropy float64) {
	for _, v := range c.Probabilities(i) {
		if v > 0 {
			entropy -= v * math.Log(v)
		}
	}
	return entropy
}

// Sample returns the probabilities of the classes of row i in sample s alone.
func Sample(p *model.Prediction, s, i int) []float64 {
	return metrics.Probabilities(p.H[(s*p.N+i)*p.C:][:p.C], 1, 1, p.C)
}
