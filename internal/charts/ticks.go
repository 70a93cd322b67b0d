package charts

import (
	"math"
	"strconv"
)

type tick struct {
	value float64
	text  string
}

// ticks are about so many round values in a range.
func (a Axis) ticks(s span, about int) (ticks []tick) {
	if a.Powers {
		every := math.Max(1, math.Ceil((s.high-s.low)/8))
		for e := math.Ceil(s.low/every) * every; e <= s.high; e += every {
			ticks = append(ticks, tick{e, power(int(e))})
		}
		return ticks
	}
	step, decimals := roundStep((s.high - s.low) / float64(max(about, 2)))
	for i := math.Ceil(s.low / step); i*step <= s.high+1e-9*step; i++ {
		ticks = append(ticks, tick{i * step, label(i*step, decimals)})
	}
	return ticks
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is no less than v, and the
// decimals that its multiples have.
func roundStep(v float64) (step float64, decimals int) {
	exponent := math.Floor(math.Log10(v))
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * math.Pow(10, exponent); step >= v*(1-1e-9) {
			if m == 10 {
				exponent++
			}
			break
		}
	}
	return step, max(0, -int(exponent))
}

// label is a multiple of a step, with a power of ten where it is long.
func label(v float64, decimals int) string {
	if size := math.Abs(v); v != 0 && (size >= 1e6 || decimals > 4) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v == 0 {
		v = 0 // and no -0
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// power is ten to a whole number.
func power(e int) string {
	if e >= -3 && e <= 4 {
		return strconv.FormatFloat(math.Pow(10, float64(e)), 'f', max(0, -e), 64)
	}
	return "1e" + strconv.Itoa(e)
}
