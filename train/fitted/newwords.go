package fitted

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// WordCopies is the number of effects that stand for those of a new word.
const WordCopies = 8

// newRowsAtOnce is the most rows with new words that are predicted at a time.
const newRowsAtOnce = 1024

// NewWord is a column of effects among the scaled inputs, and the inputs of a new word.
type NewWord struct {
	At      int         // position of the first of the P inputs
	Zero    []float64   // inputs of the effect 0 [P]
	Effects [][]float64 // inputs of typical effects [WordCopies,P]
}

// NewWords returns the columns of effects in which a word or code may be new: no training row has it. Its effect could
// be that of any word. So a prediction is the mixture over WordCopies effects. They are evenly spaced quantiles of
// those of known words, with the variance that the mixed model gives the effects of all words. Nil: inputs do not tell
// new words from others.
func (m *Model) NewWords() (columns []NewWord) {
	if m.Effects == nil || m.Projection != nil {
		return nil
	}
	width, p := m.Effects.Width(len(m.Schema.Columns)), len(m.Effects.Targets)
	inputs := make([]float64, (1+WordCopies)*width) // the first row has effect 0 in each column
	for k, at := range m.Effects.Inputs() {
		for q, effects := range typicalEffects(m.Effects.Columns[k], p) {
			copy(inputs[(1+q)*width+at:], effects)
		}
	}
	scaled := make([]float64, len(inputs))
	for at := 0; at < len(inputs); at += width {
		m.Scaler.Apply(scaled[at:at+width], inputs[at:at+width])
	}
	for k, at := range m.Effects.Inputs() {
		if !slices.ContainsFunc(m.Effects.Columns[k].Spread, func(v float64) bool { return v > 0 }) {
			continue
		}
		c := NewWord{At: at, Zero: scaled[at : at+p]}
		for q := range WordCopies {
			c.Effects = append(c.Effects, scaled[(1+q)*width+at:][:p])
		}
		columns = append(columns, c)
	}
	return columns
}

// CopyOf returns the number of the effect that copy q of a row takes in column k: each column has another order.
func CopyOf(q, k int) int { return q * (2*k + 1) % WordCopies }

// newWords predicts the rows with new words.
type newWords struct {
	columns    []NewWord
	likelihood string
	width      int       // number of inputs
	rows       []int     // rows with new words so far
	inputs     []float64 // their inputs [rows,width]
}

// typicalEffects returns the effects [WordCopies,P] of words at evenly spaced quantiles of the effects on the first
// target. Those of all words have mean 0 and the standard deviation Spread.
func typicalEffects(c scaling.ColumnEffects, p int) (typical [][]float64) {
	var known []int
	for k := range c.Words {
		if slices.ContainsFunc(c.Values[k*p:(k+1)*p], func(v float64) bool { return v != 0 }) {
			known = append(known, k)
		}
	}
	if known == nil || c.Spread == nil {
		return nil
	}
	slices.SortFunc(known, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.Values[a*p], c.Values[b*p]), cmp.Compare(a, b))
	})
	for q := range WordCopies {
		k := known[(2*q+1)*len(known)/(2*WordCopies)]
		typical = append(typical, slices.Clone(c.Values[k*p:(k+1)*p]))
	}
	for t := range p {
		mean, square := 0.0, 0.0
		for _, effects := range typical {
			mean += effects[t] / WordCopies
		}
		for _, effects := range typical {
			effects[t] -= mean
			square += effects[t] * effects[t] / WordCopies
		}
		if square > 0 {
			for _, effects := range typical {
				effects[t] *= c.Spread[t] / math.Sqrt(square)
			}
		}
	}
	return typical
}

// isNew reports whether inputs of a row are those of a new word in column c.
func (c NewWord) isNew(row []float64) bool { return slices.Equal(row[c.At:c.At+len(c.Zero)], c.Zero) }

// add looks for new words in inputs of neighbouring rows, the first of which is row lo.
func (w *newWords) add(lo int, inputs []float64) {
	if w.columns == nil {
		return
	}
	for i := range len(inputs) / w.width {
		row := inputs[i*w.width : (i+1)*w.width]
		if slices.ContainsFunc(w.columns, func(c NewWord) bool { return c.isNew(row) }) {
			w.rows, w.inputs = append(w.rows, lo+i), append(w.inputs, row...)
		}
	}
}

// copies returns the inputs of the copies lo … hi−1, WordCopies of each row from row first on.
func (w *newWords) copies(first, lo, hi int) (inputs []float64) {
	for i := lo; i < hi; i++ {
		row := w.inputs[(first+i/WordCopies)*w.width:][:w.width]
		inputs = append(inputs, row...)
		own := inputs[len(inputs)-w.width:]
		for k, c := range w.columns {
			if c.isNew(row) {
				copy(own[c.At:], c.Effects[CopyOf(i%WordCopies, k)])
			}
		}
	}
	return inputs
}

// predict predicts the rows with new words again, some at a time, and takes the mixtures into p.
func (w *newWords) predict(with *model.Predictor, p *model.Prediction, seed uint64) error {
	mix := mixGaussians
	switch {
	case w.likelihood == model.SoftmaxLikelihood, w.likelihood == model.BernoulliLikelihood:
		mix = mixClasses
	case p.Var == nil:
		mix = chooseCopies
	}
	for first := 0; first < len(w.rows); first += newRowsAtOnce {
		rows := w.rows[first:min(first+newRowsAtOnce, len(w.rows))]
		copies, err := with.PredictRows(len(rows)*WordCopies, func(lo, hi int) []float64 {
			return w.copies(first, lo, hi)
		}, seed)
		if err != nil {
			return err
		}
		for row, i := range rows {
			mix(p, copies, i, row)
		}
	}
	return nil
}

// chooseCopies gives each component of row i of p another one of the copies, in turn.
func chooseCopies(p, copies *model.Prediction, i, row int) {
	for s := range p.S {
		q := (s + s/WordCopies) % WordCopies
		copy(p.H[(s*p.N+i)*p.C:][:p.C], copies.H[(s*copies.N+row*WordCopies+q)*p.C:])
	}
}

// mixClasses gives each component of row i of p the mean probabilities of the copies.
func mixClasses(p, copies *model.Prediction, i, row int) {
	logits := make([]float64, max(2, p.C)) // a single logit is that of the second class, and the first has 0
	for s := range p.S {
		mean := make([]float64, len(logits))
		for q := range WordCopies {
			copy(logits[len(logits)-p.C:], copies.H[(s*copies.N+row*WordCopies+q)*p.C:][:p.C])
			top, sum := slices.Max(logits), 0.0
			for _, h := range logits {
				sum += math.Exp(h - top)
			}
			for c, h := range logits {
				mean[c] += math.Exp(h-top) / sum / WordCopies
			}
		}
		for c := range mean {
			mean[c] = math.Log(max(mean[c], math.SmallestNonzeroFloat64))
		}
		to := p.H[(s*p.N+i)*p.C:][:p.C]
		copy(to, mean[len(mean)-p.C:])
		if p.C == 1 {
			to[0] -= mean[0]
		}
	}
}

// mixGaussians gives each component of row i of p the mean of the copies, and their variance in addition.
func mixGaussians(p, copies *model.Prediction, i, row int) {
	own := len(p.Var) == len(p.H) // each component has a variance of its own
	for c := range p.C {
		between := 0.0
		for s := range p.S {
			mean, variance := copyMoments(copies, copies.H, s, row, c)
			p.H[(s*p.N+i)*p.C+c] = mean
			between += variance / float64(p.S)
			if own {
				within, _ := copyMoments(copies, copies.Var, s, row, c)
				p.Var[(s*p.N+i)*p.C+c] = within + variance
			}
		}
		if !own {
			within, _ := copyMoments(copies, copies.Var, 0, row, c)
			p.Var[i*p.C+c] = within + between
		}
		if p.Noise != nil {
			p.Noise[i*p.C+c], _ = copyMoments(copies, copies.Noise, 0, row, c)
		}
	}
}

// copyMoments returns mean and variance over the copies of a row, of numbers [S,N,C] or [N,C].
func copyMoments(copies *model.Prediction, numbers []float64, s, row, c int) (mean, variance float64) {
	values := make([]float64, WordCopies)
	for q := range values {
		values[q] = numbers[(s*copies.N+row*WordCopies+q)*copies.C+c]
	}
	mean, sd := stats.MeanSD(values)
	return mean, sd * sd * (WordCopies - 1) / WordCopies
}
