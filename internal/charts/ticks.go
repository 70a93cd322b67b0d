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

// mostTicks is how many an axis has at most.
const mostTicks = 20

// ticks are about so many round values in a range that fixed gave.
func (a Axis) ticks(s span, about int) (ticks []tick) {
	if a.Powers {
		every := max(1, int(math.Ceil((s.high-s.low)/8)))
		first := int(math.Ceil(s.low / float64(every)))
		for i := range mostTicks {
			e := (first + i) * every
			if float64(e) > s.high {
				break
			}
			ticks = append(ticks, tick{float64(e), power(e)})
		}
		return ticks
	}
	m, exponent := roundStep((s.high - s.low) / float64(min(max(about, 2), mostTicks/2)))
	step := float64(m) * math.Pow10(exponent)
	first := int64(math.Ceil(s.low / step)) // fixed keeps it below 2e10
	for i := range int64(mostTicks) {
		n := (first + i) * int64(m)
		v := float64(first+i) * step
		if v > s.high+1e-9*step {
			break
		}
		ticks = append(ticks, tick{v, label(v, n, exponent)})
	}
	return ticks
}

// widest is how many letters the longest label has.
func widest(ticks []tick) (most int) {
	for _, t := range ticks {
		most = max(most, len([]rune(t.text)))
	}
	return most
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is no less than v, which is
// positive.
func roundStep(v float64) (m, exponent int) {
	exponent = int(math.Floor(math.Log10(v)))
	for _, m := range []int{1, 2, 5} {
		if float64(m)*math.Pow10(exponent) >= v*(1-1e-9) {
			return m, exponent
		}
	}
	return 1, exponent + 1
}

// label is v = n · 10^exponent in all its digits, with a power of ten where it is long.
func label(v float64, n int64, exponent int) string {
	if n == 0 {
		v = 0 // and no -0
	}
	if size := math.Abs(v); v != 0 && (size >= 1e6 || exponent < -4) {
		return strconv.FormatFloat(v, 'g', len(strings.TrimLeft(strconv.FormatInt(n, 10), "-")), 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -exponent), 64)
}

// power is ten to a whole number.
func power(e int) string {
	if e >= -3 && e <= 4 {
		return strconv.FormatFloat(math.Pow(10, float64(e)), 'f', max(0, -e), 64)
	}
	return "1e" + strconv.Itoa(e)
}
