package scaling

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// TargetScale standardises a regression target y, or log y.
type TargetScale struct {
	Mean float64 `json:"mean"` // mean of y or of log y, in training rows
	SD   float64 `json:"sd"`   // standard deviation of the same; n−1 in the denominator
	Log  bool    `json:"log,omitempty"`
	// OwnSD is the standard deviation of y itself, if SD is that of log y; otherwise 0.
	OwnSD float64 `json:"own_sd,omitempty"`
	Max   float64 `json:"most,omitempty"`  // the largest y
	Min   float64 `json:"least,omitempty"` // the least y; like Max, 0 in older models without Log
}

// Best returns the largest y of the training rows, or the least. ok is false if the model is too old to hold it.
func (s TargetScale) Best(least bool) (y float64, ok bool) {
	ok = s.Min != s.Max && !(s.Log && s.Min == 0)
	if least {
		return s.Min, ok
	}
	return s.Max, ok
}

// Unit returns the standard deviation of y in training rows, the unit of scores.
func (s TargetScale) Unit() float64 {
	if s.Log {
		return s.OwnSD
	}
	return s.SD
}

// logRoom is the most that a mean of log y may exceed the largest log y of training, so y may be ten times the largest.
const logRoom = math.Ln10

// Top bounds the mean of log y, if SD is that of log y.
func (s TargetScale) Top() float64 { return math.Log(s.Max) + logRoom }

// Scale returns y, or log y, in standard deviations from the mean. It is NaN if y has no logarithm.
func (s TargetScale) Scale(y float64) float64 {
	if s.Log {
		y = math.Log(y)
	}
	return (y - s.Mean) / s.SD
}

// Unscale returns the y that is scaled to z.
func (s TargetScale) Unscale(z float64) float64 {
	y := s.Mean + s.SD*z
	if s.Log {
		y = math.Exp(y)
	}
	return y
}

// These are the kinds of scales of targets.
const (
	AutoTargets     = "auto"
	StandardTargets = "standard"
	LogTargets      = "log"
	NoTargets       = "none" // targets without scaling, such as counts
)

// TargetScalings returns the kinds that FitTargetScales knows.
func TargetScalings() []string { return []string{AutoTargets, StandardTargets, LogTargets, NoTargets} }

// FitTargetScales fits the scales of the regression targets [C] of training rows, each by itself. The kind log takes
// the logarithms of all targets, and auto those of targets that are skewed over decades. The kind none does not scale
// them. A constant target is an error.
func FitTargetScales(kind string, d *data.Dataset) ([]TargetScale, error) {
	if !slices.Contains(TargetScalings(), kind) {
		return nil, faultf("", "there is no target scaling %s%s", phrase.Quote(kind),
			didyoumean.Hint(kind, TargetScalings()))
	}
	names := d.Outputs()
	scales := make([]TargetScale, len(names))
	if kind == LogTargets {
		if err := CheckPositive(d, slices.Repeat([]TargetScale{{Log: true}}, len(names))); err != nil {
			return nil, err
		}
	}
	if err := d.CheckTargets(); err != nil {
		return nil, err
	}
	for c, name := range names {
		y := d.Output(c)
		mean, sd := stats.MeanSD(y)
		scales[c] = TargetScale{Mean: mean, SD: sd, Max: slices.Max(y), Min: slices.Min(y)}
		if kind == NoTargets {
			scales[c].Mean, scales[c].SD = 0, 1
		}
		if kind == LogTargets || kind == AutoTargets && decades(y) > 0 {
			scales[c] = logScale(y, sd)
		}
		if scales[c].SD == 0 {
			return nil, faultf(d.Path, "the logarithms of the target column %s are all alike in double precision: "+
				"subtract a constant from the column, or give %s=standard", phrase.Quote(name),
				usererror.Key("target-scaling"))
		}
	}
	return scales, nil
}

func logScale(y []float64, own float64) TargetScale {
	logs := make([]float64, len(y))
	for i, v := range y {
		logs[i] = math.Log(v)
	}
	mean, sd := stats.MeanSD(logs)
	return TargetScale{Mean: mean, SD: sd, Log: true, OwnSD: own, Max: slices.Max(y), Min: slices.Min(y)}
}

const (
	logGain    = 0.5 // nats a row
	logDecades = 2   // between the first and the last percent
)

// decades counts the decades that targets cover without a percent at either end, if they are positive and skewed;
// otherwise 0. Skewed targets cover at least two decades. On average, a row of them has half a nat more under the
// log-normal distribution of their moments than under the normal one. Noise in proportion to a target is equal in all
// decades of its logarithm. Over less than two decades, a model finds the shape from the inputs.
func decades(y []float64) float64 {
	if len(y) < 2 || !(slices.Min(y) > 0) {
		return 0
	}
	_, sd := stats.MeanSD(y)
	s := logScale(y, sd)
	gain := math.Log(sd) - math.Log(s.SD) - s.Mean
	sorted := slices.Sorted(slices.Values(y))
	covered := math.Log10(stats.Quantile(sorted, 0.99) / stats.Quantile(sorted, 0.01))
	if !(gain > logGain && covered >= logDecades) || math.IsInf(gain, 0) {
		return 0
	}
	return covered
}

// CheckPositive refuses the first target that has no logarithm, if a scale needs logarithms.
func CheckPositive(d *data.Dataset, scales []TargetScale) error {
	names := d.Outputs()
	for i, y := range d.Y {
		if c := i % len(names); scales[c].Log && !(y > 0) {
			return d.RowErrorf(i/len(names), "the target %s is %s, and the model predicts its logarithm: leave "+
				"such rows out, or train with %s gaussian and %s=standard", phrase.Quote(names[c]), phrase.Number(y),
				usererror.Flag("likelihood"), usererror.Key("target-scaling"))
		}
	}
	return nil
}

// maxCount is the largest count, far below a rate that models bound.
const maxCount = 1e12

// CheckCounts refuses the first target that is no count: a whole number from 0 to 10¹².
func CheckCounts(d *data.Dataset) error {
	names := d.Outputs()
	for i, y := range d.Y {
		if !(y >= 0) || y != math.Floor(y) || y > maxCount {
			return d.RowErrorf(i/len(names), "the target %s is %s, and counts are whole numbers from 0 to %g: "+
				"mend the row, or train with another likelihood", phrase.Quote(names[i%len(names)]), phrase.Number(y),
				maxCount)
		}
	}
	return nil
}

// Standardise returns targets y [N,C] in the units of their scales.
func Standardise(y []float64, scales []TargetScale) []float64 {
	to := make([]float64, len(y))
	for i, v := range y {
		to[i] = scales[i%len(scales)].Scale(v)
	}
	return to
}

// DescribeTargets writes a note about each target that is scaled by its logarithm.
func DescribeTargets(d *data.Dataset, scales []TargetScale) (notes []string) {
	for c, name := range d.Outputs() {
		if !scales[c].Log {
			continue
		}
		why := "its logarithm is asked for"
		if covered := decades(d.Output(c)); covered > 0 {
			why = fmt.Sprintf("positive and skewed over %.1f decades", covered)
		}
		notes = append(notes, fmt.Sprintf("target %s: %s: the model predicts its logarithm, with log-normal "+
			"noise; %s=standard turns it off", name, why, usererror.Key("target-scaling")))
	}
	return notes
}

// These limits decide when whole numbers are counts beyond doubt.
const (
	minCounts = 50   // rows
	minZeros  = 0.02 // share of rows with the count 0
	fewCounts = 50   // a count that three quarters of the rows do not exceed
	minSkew   = 0.5  // skewness; a Poisson distribution of mean 4 has it
)

// IsCountTarget reports whether a single target holds counts beyond doubt. They are 50 rows or more of whole numbers
// from 0. Of 50 rows at least one is 0, and three quarters are at most 50. On average each number is in two rows, and
// the skewness is above 1/2. Numbers of rows, years, scores and rounded lengths fail one of these tests.
func IsCountTarget(d *data.Dataset) bool {
	if d.Task != data.Regression || len(d.Y) != d.N() || d.N() < minCounts || CheckCounts(d) != nil {
		return false
	}
	sorted := slices.Sorted(slices.Values(d.Y))
	n := float64(d.N())
	mean, sd := stats.MeanSD(sorted)
	zeros, different, skew := 0.0, 1.0, 0.0
	for i, y := range sorted {
		if y == 0 {
			zeros++
		}
		if i > 0 && y != sorted[i-1] {
			different++
		}
		skew += math.Pow((y-mean)/sd, 3) / n
	}
	return zeros >= minZeros*n && stats.Quantile(sorted, 0.75) <= fewCounts && 2*different <= n && skew > minSkew
}
