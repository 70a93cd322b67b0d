package train

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// schedule holds the values that change over the steps of a run: the learning rate, the KL weight and which parameters
// are fixed. Steps count from 1.
type schedule struct {
	config   options.Config
	length   int               // number of steps of the last segment
	segments []options.Segment // those before
}

func newSchedule(c options.Config) schedule {
	segments, _ := c.Segments() // a Config was checked, so there is no error
	return schedule{c, c.Steps, segments}
}

// position returns the number that a step has in a run with the length of its segment from the start, and the number of
// steps of that run. Each segment begins at the share of the run that is done, and divides the rest among its steps.
func (s *schedule) position(step int) (position, steps float64) {
	done, begin, length := 0.0, 0, s.length
	shareAfter := func(step, length int) float64 {
		return done + (1-done)*float64(step-begin)/float64(length-begin)
	}
	for _, segment := range s.segments {
		if step <= segment.Until {
			length = segment.Steps
			break
		}
		done, begin = shareAfter(segment.Until, segment.Steps), segment.Until
	}
	if begin == 0 { // exactly
		return float64(step), float64(length)
	}
	return shareAfter(step, length) * float64(length), float64(length)
}

// highRateShare is the share of the learning rate above which a run is stopped far from the end of its schedule.
const highRateShare = 0.5

// UnfinishedWarning returns the warning about a run whose learning rate was still high when it was stopped; "" for
// others.
func UnfinishedWarning(c options.Config) string {
	s := newSchedule(c)
	if rate := s.decay(c.StopAfter); c.StopAfter > 0 && c.Decay == options.Cosine && rate > highRateShare {
		return fmt.Sprintf("warning: training stopped after %d of %d planned steps, with the learning rate still at "+
			"%.0f %%: scores are of an unfinished schedule", c.StopAfter, c.Steps, 100*rate)
	}
	return ""
}

// finalRateShare is the share of the learning rate that the cosine leaves at the end.
const finalRateShare = 1e-3

func (s *schedule) learningRate(step int) float64 {
	rate := s.config.LR
	if step < s.config.Warmup {
		rate *= float64(step) / float64(s.config.Warmup)
	}
	return rate * s.decay(step)
}

// decay returns the share of a step's size that the cosine leaves.
func (s *schedule) decay(step int) float64 {
	if s.config.Decay != options.Cosine {
		return 1
	}
	position, steps := s.position(step)
	return 0.5*(1+math.Cos(math.Pi*(position-1)/steps)) + finalRateShare
}

// naturalWarmupStart is the share of their size that natural-gradient steps begin with.
const naturalWarmupStart = 1e-3

// naturalStepSize returns the size of natural-gradient steps. Its logarithm rises linearly over the warm-up, and then
// it falls as the learning rate does.
func (s *schedule) naturalStepSize(step int) float64 {
	if step < s.config.Warmup {
		return s.config.NatGrad * math.Pow(naturalWarmupStart, 1-float64(step)/float64(s.config.Warmup))
	}
	return s.config.NatGrad * min(1, s.decay(step))
}

func (s *schedule) klWeight(step int) float64 {
	position, steps := s.position(step)
	if ramp := s.config.KLWarmup * steps; position < ramp {
		return s.config.KLWeight * position / ramp
	}
	return s.config.KLWeight
}

// fixed reports whether Adam leaves the parameters of a role alone at a step.
func (s *schedule) fixed(role model.Role, step int) bool {
	switch role {
	case model.Fixed:
		return true
	case model.InducingOutputs:
		return s.config.NatGrad > 0
	case model.InducingPoints:
		return !s.config.LearnInducing
	case model.Spectra:
		return step <= s.config.FreezeOmega
	case model.Kernel:
		return step <= s.config.FreezeKernel
	case model.Tail:
		return !s.config.LearnDoF || step <= s.config.FreezeKernel
	}
	return false
}

func (s *schedule) changesFixed(step int) bool {
	return step == 1 || step == s.config.FreezeOmega+1 || step == s.config.FreezeKernel+1
}
