package charts

import (
	"math"
	"strconv"
	"strings"
)

type tick struct {
	value float64
	text  string
}

// An axis has at most maxTicks ticks, and at least two if fewest or more are requested: their distance is up to two and
// a half times the range's share.
const (
	maxTicks = 20
	fewest   = 5
)

// ticks returns about this number of round values in a range that axisRange returned.
func (a Axis) ticks(s span, about int) (ticks []tick) {
	m, exponent := roundStep((s.high - s.low) / float64(min(about, maxTicks/2)))
	step := float64(m) * math.Pow10(exponent)
	if a.Powers {
		step = math.Max(1, math.Ceil((s.high-s.low)/8))
	}
	first := int64(math.Ceil(s.low / step)) // axisRange keeps it below 2e10
	for i := first; i < first+maxTicks; i++ {
		v := float64(i) * step
		if v > s.high+1e-9*step {
			break
		}
		text := label(v, i*int64(m), exponent)
		if a.Powers {
			text = label(math.Pow10(int(v)), 1, int(v))
		}
		ticks = append(ticks, tick{v, text})
	}
	return ticks
}

// widestLabel returns the length of the longest label, in bytes.
func widestLabel(ticks []tick) (most int) {
	for _, t := range ticks {
		most = max(most, len(t.text))
	}
	return most
}

// roundStep returns the least of 1, 2 and 5 times a power of ten that is no less than v, which is positive.
func roundStep(v float64) (m, exponent int) {
	exponent = int(math.Floor(math.Log10(v)))
	for _, m := range []int{1, 2, 5} {
		if float64(m)*math.Pow10(exponent) >= v*(1-1e-9) {
			return m, exponent
		}
	}
	return 1, exponent + 1
}

// label returns v = n · 10^exponent in all its digits, with a power of ten where it is long.
func label(v float64, n int64, exponent int) string {
	if n == 0 {
		return "0"
	}
	if math.Abs(v) >= 1e6 || exponent < -4 {
		return strconv.FormatFloat(v, 'g', len(strings.TrimLeft(strconv.FormatInt(n, 10), "-")), 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -exponent), 64)
}
