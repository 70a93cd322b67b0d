package train

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// schedule holds the values that change over the steps of a run: the learning rate, the KL weight
// and which parameters are fixed. Steps count from 1.
type schedule struct {
	*options.Config
	steps int
	plans []options.Plan // before the one of steps
}

func newSchedule(c *options.Config) schedule {
	plans, _ := c.Plans() // which are sound, since the Config is
	return schedule{c, c.Steps, plans}
}

// place is where a step would stand in a run that was planned from its start as it is planned at
// this step, and how many steps that run has. Each plan begins with the share of the run that is
// done, and divides the rest among its steps.
func (s *schedule) place(step int) (place, steps float64) {
	done, from, now := 0.0, 0, s.steps
	at := func(step, of int) float64 { return done + (1-done)*float64(step-from)/float64(of-from) }
	for _, p := range s.plans {
		if step <= p.Until {
			now = p.Steps
			break
		}
		done, from = at(p.Until, p.Steps), p.Until
	}
	if from == 0 {
		return float64(step), float64(now)
	}
	return at(step, now) * float64(now), float64(now)
}

// highRate is the share of the learning rate above which a run that ends is far from its plan.
const highRate = 0.5

// Unfinished is the warning of a run whose learning rate was still high when it was stopped; "" of others.
func Unfinished(c *options.Config) string {
	s := newSchedule(c)
	if rate := s.decay(c.StopAfter); c.StopAfter > 0 && c.Decay == "cosine" && rate > highRate {
		return fmt.Sprintf("warning: training stopped after %d of %d planned steps, with the learning rate still at "+
			"%.0f %%: scores are of an unfinished schedule", c.StopAfter, c.Steps, 100*rate)
	}
	return ""
}

// lastRate is the share of the learning rate that the cosine leaves at the end.
const lastRate = 1e-3

func (s *schedule) rate(step int) float64 {
	rate := s.LR
	if step < s.Warmup {
		rate *= float64(step) / float64(s.Warmup)
	}
	return rate * s.decay(step)
}

// decay is the share of a step's size that the cosine leaves.
func (s *schedule) decay(step int) float64 {
	if s.Decay != "cosine" {
		return 1
	}
	place, steps := s.place(step)
	return 0.5*(1+math.Cos(math.Pi*(place-1)/steps)) + lastRate
}

// naturalStart is the share of their size that natural-gradient steps begin with.
const naturalStart = 1e-3

// naturalSize rises along a straight line of its logarithm, over the steps of the warm-up, and
// falls as the learning rate does.
func (s *schedule) naturalSize(step int) float64 {
	if step < s.Warmup {
		return s.NatGrad * math.Pow(naturalStart, 1-float64(step)/float64(s.Warmup))
	}
	return s.NatGrad * min(1, s.decay(step))
}

func (s *schedule) kl(step int) float64 {
	place, steps := s.place(step)
	if ramp := s.KLWarmup * steps; place < ramp {
		return s.KLWeight * place / ramp
	}
	return s.KLWeight
}

// fixed reports whether Adam leaves the parameters of a role alone at a step.
func (s *schedule) fixed(role model.Role, step int) bool {
	switch role {
	case model.Fixed:
		return true
	case model.InducingOutputs:
		return s.NatGrad > 0
	case model.InducingPoints:
		return !s.LearnInducing
	case model.Spectra:
		return step <= s.FreezeOmega
	case model.Kernel:
		return step <= s.FreezeKernel
	case model.Tail:
		return !s.LearnDoF || step <= s.FreezeKernel
	}
	return false
}

// changes reports whether fixed changes at a step.
func (s *schedule) changes(step int) bool {
	return step == 1 || step == s.FreezeOmega+1 || step == s.FreezeKernel+1
}
