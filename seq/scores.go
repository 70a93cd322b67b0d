package seq

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// score scores the predictions of rows that were left out by the log density of each row, after the link that fits
// best.
func (cv *blockCV) score(p blockPrediction) fit {
	if cv.Classes {
		return cv.scoreClasses(p)
	}
	n := cv.n()
	f := fit{loss: make([]float64, n)}
	varies := false
	variance := simd.Dot64(cv.centred, cv.centred) / float64(n)
	squares := simd.Dot64(p.residual, p.residual)
	for c := range cv.Columns {
		const rounding = 1e-20
		column := cv.centred[c*n : (c+1)*n]
		if simd.Dot64(column, column) <= rounding*float64(n)*cv.mean[c]*cv.mean[c] {
			continue // all rows have the same target, which tells nothing
		}
		varies = true
		scale := 0.0 // the kernel's variance that fits best
		for i, v := range p.variance {
			r := p.residual[i*cv.Columns+c]
			scale += r * r / v / float64(n)
		}
		for i, v := range p.variance {
			r := p.residual[i*cv.Columns+c]
			f.loss[i] += 0.5*math.Log(2*math.Pi*scale*v) + r*r/(2*scale*v)
		}
	}
	if varies {
		f.errors = squares / float64(n) / variance
	}
	f.nll = mean(f.loss)
	return f
}

// scoreClasses makes probabilities of the predicted scores: softmax(b_c + a·score), whose a and b fit all rows best.
func (cv *blockCV) scoreClasses(p blockPrediction) fit {
	n, columns := cv.n(), cv.Columns
	score := make([]float64, n*columns)
	for i := range score {
		score[i] = cv.Values[i] - cv.mean[i%columns] - p.residual[i]
	}
	f := fit{loss: make([]float64, n)}
	prob := cv.calibrated(score)
	for i := range n {
		row := prob[i*columns : (i+1)*columns]
		truth := cv.class(i)
		f.loss[i] = -math.Log(max(row[truth], 1e-300))
		if metrics.Argmax(row) != truth {
			f.errors += 1 / float64(n)
		}
	}
	f.nll = mean(f.loss)
	rare := 0
	for c, share := range cv.mean {
		if share > 0 && share < rareShare {
			f.rare += cv.auc(score, c)
			rare++
		}
	}
	f.rare /= float64(max(rare, 1))
	return f
}

// rareShare is the share of the rows below which a class is rare.
const rareShare = 0.1

// calibrated returns the probabilities softmax(b_c + a·score) [n, Columns] with the largest likelihood: in turn, a
// takes a step of Newton, and b makes the mean probability of each class its share.
func (cv *blockCV) calibrated(score []float64) []float64 {
	n, columns := cv.n(), cv.Columns
	slope := 1.0
	offset := make([]float64, columns)
	for c, share := range cv.mean {
		offset[c] = math.Log(max(share, 1e-300))
	}
	prob, total := make([]float64, n*columns), make([]float64, columns)
	fill := func() {
		clear(total)
		for i := range n {
			row := prob[i*columns : (i+1)*columns]
			softmax(row, score[i*columns:(i+1)*columns], slope, offset)
			for c, q := range row {
				total[c] += q / float64(n)
			}
		}
	}
	for range calibrationSteps {
		fill()
		for c, share := range cv.mean {
			if share > 0 {
				offset[c] += math.Log(share / max(total[c], 1e-300))
			}
		}
		fill()
		gradient, curvature := 0.0, 1e-6
		for i := range n {
			first, second := 0.0, 0.0
			for c, q := range prob[i*columns : (i+1)*columns] {
				s := score[i*columns+c]
				first += q * s
				second += q * s * s
			}
			gradient += score[i*columns+cv.class(i)] - first
			curvature += second - first*first
		}
		step := gradient / curvature
		slope = max(0, slope+min(max(step, -slope/2-1), slope+1)) // the slope is at most doubled
	}
	fill()
	return prob
}

const calibrationSteps = 30

// softmax writes the probabilities of one row.
func softmax(dst, score []float64, slope float64, offset []float64) {
	most := math.Inf(-1)
	for c, s := range score {
		dst[c] = offset[c] + slope*s
		most = max(most, dst[c])
	}
	total := 0.0
	for c, s := range dst {
		dst[c] = math.Exp(s - most)
		total += dst[c]
	}
	for c := range dst {
		dst[c] /= total
	}
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

// pairedDifference returns the mean of a − b over rows, and its standard error.
func pairedDifference(a, b []float64) (d, se float64) {
	n := float64(len(a))
	squares := 0.0
	for i, v := range a {
		d += (v - b[i]) / n
		squares += (v - b[i]) * (v - b[i]) / n
	}
	return d, math.Sqrt(max(0, squares-d*d) / n)
}

// auc returns the area under the curve of one column's scores; 0.5 if it has no area.
func (cv *blockCV) auc(score []float64, column int) float64 {
	scores, positive := make([]float64, cv.n()), make([]bool, cv.n())
	for i := range scores {
		scores[i] = score[i*cv.Columns+column]
		positive[i] = cv.class(i) == column
	}
	if area := metrics.AUC(scores, positive, nil); area != nil {
		return *area
	}
	return 0.5
}
