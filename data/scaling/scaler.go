// Package scaling fits what a model does to inputs and targets before it sees them, on training rows only: a Scaler, a
// Projection of many columns, and the scales of targets.
package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Scaler maps each input to (x − Center)/Scale, and then into ±Clip where Clip is not
// 0. It is fitted on training rows and kept in the model.
//
//	standard  mean and standard deviation (n−1 in the denominator)
//	tails     standard, after AsinhScale has drawn in the long tails of columns that have some
//	robust    median and (third − first quartile)/1.349, which is the standard
//	          deviation of a normal sample; the deviation itself where the quartiles
//	          are equal; Clip 5
//	log       standard, of log(1 + 10 (x − least)/sd): for columns such as counts and sums of money, with
//	          many small values and a long tail. What is less than the least of training counts as the least
//	none      0 and 1
//
// Quartiles are interpolated linearly between order statistics. A constant column gets Scale 1.
type Scaler struct {
	Kind   string      `json:"kind"`
	Center []float64   `json:"center"`
	Scale  []float64   `json:"scale"`
	Clip   float64     `json:"clip"` // bound of the scaled values; 0 for none
	Log    *LogScale   `json:"log,omitempty"`
	Tails  *AsinhScale `json:"tails,omitempty"`

	// Min and Max are the range of each input in the training rows, as in the file.
	Min []float64 `json:"least,omitempty"`
	Max []float64 `json:"most,omitempty"`
}

// LogScale maps each input to log(1 + max(x − Min, 0)/Unit) before the rest of its Scaler.
type LogScale struct {
	Min  []float64 `json:"least"`
	Unit []float64 `json:"unit"` // above 0
}

const (
	robustClip = 5
	robustIQR  = 1.349 // quartile range of the standard normal
	logUnits   = 10    // units of LogScale in a standard deviation
)

// Scalings returns the kinds that FitScaler knows.
func Scalings() []string { return []string{"auto", "standard", "tails", "robust", "log", "none"} }

// FitScaler fits the scaling of the inputs of training rows. The kind auto is the AutoScaling of the set, if it has
// one. Otherwise it is tails, or standard if no column has a long tail. Kind holds the result; rows that are only
// sequences have the kind none.
func FitScaler(kind string, ds *data.Dataset) (Scaler, error) {
	if ds.X == nil {
		return Scaler{Kind: "none"}, nil
	}
	auto := kind == "auto" && ds.AutoScaling == ""
	if kind == "auto" {
		kind = cmp.Or(ds.AutoScaling, "tails")
	}
	s, err := fitScaler(kind, ds.X)
	if auto && len(s.tailed()) == 0 {
		s.Kind, s.Tails = "standard", nil
	}
	return s, err
}

func fitScaler(kind string, x *tensor.Dense) (Scaler, error) {
	n, d := matrix.Size(x)
	s := Scaler{Kind: kind, Center: make([]float64, d), Scale: make([]float64, d),
		Min: make([]float64, d), Max: make([]float64, d)}
	if kind == "robust" {
		s.Clip = robustClip
	}
	if kind == "log" {
		s.Log = &LogScale{make([]float64, d), make([]float64, d)}
	}
	if kind == "tails" {
		s.Tails = &AsinhScale{make([]float64, d), make([]float64, d)}
	}
	col := make([]float64, n)
	for j := range d {
		matrix.Column(col, x, j)
		s.Min[j], s.Max[j] = slices.Min(col), slices.Max(col)
		switch kind {
		case "none":
			s.Scale[j] = 1
		case "standard":
			s.Center[j], s.Scale[j] = stats.MeanSD(col)
		case "robust":
			slices.Sort(col)
			s.Center[j] = stats.Quantile(col, 0.5)
			s.Scale[j] = (stats.Quantile(col, 0.75) - stats.Quantile(col, 0.25)) / robustIQR
			if s.Scale[j] == 0 {
				_, s.Scale[j] = stats.MeanSD(col)
			}
		case "tails":
			near := s.Tails.fit(col, j)
			s.Center[j], s.Scale[j] = stats.MeanSD(near)
		case "log":
			s.Log.fit(col, j)
			s.Center[j], s.Scale[j] = stats.MeanSD(col)
		default:
			return Scaler{}, faultf("", "there is no scaling %s%s", phrase.Quote(kind),
				didyoumean.Hint(kind, Scalings()))
		}
		if s.Scale[j] == 0 {
			s.Scale[j] = 1
		}
	}
	return s, nil
}

// fit fits column j of the training rows, and replaces its values by their logarithms.
func (l *LogScale) fit(col []float64, j int) {
	l.Min[j] = slices.Min(col)
	l.Unit[j] = 1
	if _, sd := stats.MeanSD(col); sd > 0 {
		l.Unit[j] = sd / logUnits
	}
	for i, v := range col {
		col[i] = l.value(j, v)
	}
}

func (l *LogScale) value(j int, x float64) float64 {
	return math.Log1p(max(x-l.Min[j], 0) / l.Unit[j])
}

// value returns input j before clipping.
func (s Scaler) value(j int, x float64) float64 {
	if s.Log != nil {
		x = s.Log.value(j, x)
	}
	if s.Tails != nil {
		x = s.Tails.value(j, x)
	}
	return (x - s.Center[j]) / s.Scale[j]
}

// MaxScaled bounds scaled inputs, so that single precision can square them and sum the squares. A model treats all rows
// so far from training alike.
const MaxScaled = 1e15

// Apply writes the scaled row to dst, which may be row. Both have D values. No value is beyond ±1e15.
func (s Scaler) Apply(dst, row []float64) {
	for j, v := range row {
		v = s.value(j, v)
		if s.Clip > 0 {
			v = min(max(v, -s.Clip), s.Clip)
		}
		dst[j] = min(max(v, -MaxScaled), MaxScaled)
	}
}

// Rows returns the rows lo … hi−1 of x [N,D] scaled, row-major; none if there is no x.
func (s Scaler) Rows(x *tensor.Dense, lo, hi int) []float64 { return mapRows(x, lo, hi, s.Apply) }

// mapRows returns the rows lo … hi−1 of x, each as a function writes it; none if there is no x.
func mapRows(x *tensor.Dense, lo, hi int, write func(dst, row []float64)) []float64 {
	if x == nil {
		return nil
	}
	_, d := matrix.Size(x)
	to := make([]float64, (hi-lo)*d)
	for i := lo; i < hi; i++ {
		row := to[(i-lo)*d : (i-lo+1)*d]
		write(row, matrix.Row(row, x, i))
	}
	return to
}

func (s Scaler) String() string {
	if s.Clip > 0 {
		return fmt.Sprintf("%s, clipped at ±%g", s.Kind, s.Clip)
	}
	return s.Kind
}

// AsinhScale draws in the tails of columns: x of column j becomes asinh((x − Middle)/Unit), which is (x − Middle)/Unit
// near the middle and a logarithm far from it. A Unit of 0 leaves a column as it is.
type AsinhScale struct {
	Middle []float64 `json:"middle"` // median
	// Units by quartiles, as of robust; for two values beside codes, their distance.
	Unit []float64 `json:"unit"`
}

const (
	// Tails are long if sd ≥ tailRatio units, and a value is ≥ tailDeviation sds from the mean.
	tailRatio     = 2
	tailDeviation = 5

	// A gap separates values from the middle of a column if it is at least tailGap times as wide as the stretch between
	// it and the opposite quartile.
	tailGap = 3
)

// fit fits column j of the training rows. It returns the values that set the mean and standard deviation of the column,
// with their tails drawn in: those that no gap separates from its middle.
func (a *AsinhScale) fit(col []float64, j int) (near []float64) {
	sorted := slices.Clone(col)
	slices.Sort(sorted)
	lo, hi := beforeGaps(sorted)
	near = sorted[lo:hi]
	all := len(near) == len(sorted)
	unit := tailUnit(near)
	// The column has two values beside codes, such as 0 and 1 beside -999.
	if unit == 0 && !all {
		unit = near[len(near)-1] - near[0]
	}
	mean, sd := stats.MeanSD(near)
	long := sd >= tailRatio*unit && max(mean-near[0], near[len(near)-1]-mean) >= tailDeviation*sd
	if unit == 0 || all && !long {
		return col
	}
	a.Middle[j], a.Unit[j] = stats.Quantile(near, 0.5), unit
	for i, v := range near {
		near[i] = a.value(j, v)
	}
	return near
}

func (a *AsinhScale) value(j int, x float64) float64 {
	if a.Unit[j] == 0 {
		return x
	}
	return math.Asinh((x - a.Middle[j]) / a.Unit[j])
}

// beforeGaps finds the limits lo … hi−1 of the values that no gap separates from the middle half.
func beforeGaps(sorted []float64) (lo, hi int) {
	n := len(sorted)
	lo, hi = n/4, n-n/4
	first, third := sorted[lo], sorted[hi-1]
	if first == third {
		return 0, n
	}
	for hi < n && sorted[hi]-sorted[hi-1] <= tailGap*(sorted[hi-1]-first) {
		hi++
	}
	for lo > 0 && sorted[lo]-sorted[lo-1] <= tailGap*(third-sorted[lo]) {
		lo--
	}
	return lo, hi
}

// tailUnit returns the standard deviation of a normal sample with the quartiles of these values. If the quartiles are
// equal, it is the median distance of the other values from the median. It is 0 for two different values, whose
// distance is no evidence of tails.
func tailUnit(sorted []float64) float64 {
	if len(slices.Compact(slices.Clone(sorted))) <= 2 {
		return 0
	}
	if width := stats.Quantile(sorted, 0.75) - stats.Quantile(sorted, 0.25); width > 0 {
		return width / robustIQR
	}
	median := stats.Quantile(sorted, 0.5)
	var away []float64
	for _, v := range sorted {
		if v != median {
			away = append(away, math.Abs(v-median))
		}
	}
	slices.Sort(away)
	return stats.Quantile(away, 0.5)
}

// tailed returns the columns whose tails are drawn in.
func (s Scaler) tailed() (columns []int) {
	if s.Tails == nil {
		return nil
	}
	return matrix.Which(len(s.Tails.Unit), func(j int) bool { return s.Tails.Unit[j] > 0 })
}

// Notes names the training columns whose tails the scaling draws in, and the columns with values far from all others:
// these may stand for missing ones, unless the column is a feature.
func (s Scaler) Notes(ds *data.Dataset) (notes []string) {
	var tailed, apart []string
	schema := ds.Schema()
	cells := schema.Columns
	for _, words := range schema.NumberedWords() {
		cells = slices.DeleteFunc(slices.Clone(cells), func(name string) bool { return name == words.Column })
	}
	values := make([]float64, ds.N())
	for _, j := range s.tailed() {
		tailed = append(tailed, phrase.Quote(ds.Columns[j]))
		matrix.Column(values, ds.X, j)
		slices.Sort(values)
		if lo, hi := beforeGaps(values); hi-lo < len(values) && slices.Contains(cells, ds.Columns[j]) {
			far := slices.Concat(values[:lo], values[hi:])
			apart = append(apart, fmt.Sprintf("%s (%s in %d of %d rows, the others %s)", phrase.Quote(ds.Columns[j]),
				between(far[0], far[len(far)-1], ds.Formatter(j)), len(far), len(values),
				between(values[lo], values[hi-1], ds.Formatter(j))))
		}
	}
	if tailed != nil {
		notes = append(notes, fmt.Sprintf("scaling: the tails of %s are drawn in", listed(tailed)))
	}
	if apart != nil {
		notes = append(notes, fmt.Sprintf("values far from all others do not set the unit of %s; where they "+
			"stand for missing cells, leave the cells empty and give %s impute", listed(apart),
			usererror.Flag("missing")))
	}
	return notes
}

// maxListed is the number of columns a note names.
const maxListed = 3

func listed(texts []string) string {
	if more := len(texts) - maxListed; more > 0 {
		texts = append(slices.Clone(texts[:maxListed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}

// faultf makes an error about a fault of the data, or of the request for a scaling.
func faultf(where, format string, args ...any) error {
	return &data.Error{File: where, Msg: fmt.Sprintf(format, args...)}
}
