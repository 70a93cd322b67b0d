package data

// TargetScale standardises a regression target.
type TargetScale struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"` // n−1 in the denominator
}

// FitTargets fits the scales of the regression targets [C] of training rows, each by itself. A
// constant target is an error.
func FitTargets(d *Dataset) ([]TargetScale, error) {
	names := d.Outputs()
	scales := make([]TargetScale, len(names))
	for c, name := range names {
		mean, sd := meanSD(d.output(c))
		if sd > 0 && sd < 1/largest {
			return nil, errorf(d.Path, "the target column %s varies by %s only, less than ±%g: multiply the column "+
				"by a power of ten", quote(name), number(sd), 1/largest)
		}
		if sd == 0 {
			return nil, errorf(d.Path,
				"the target column %s holds the value %s only: there is nothing to learn", quote(name), number(mean))
		}
		scales[c] = TargetScale{mean, sd}
	}
	return scales, nil
}

// Standardise returns targets y [N,C] in training standard deviations from the training means.
func Standardise(y []float64, scales []TargetScale) []float64 {
	to := make([]float64, len(y))
	for i, v := range y {
		s := scales[i%len(scales)]
		to[i] = (v - s.Mean) / s.SD
	}
	return to
}

// output is a copy of target c of all rows.
func (d *Dataset) output(c int) []float64 {
	width := len(d.Outputs())
	y := make([]float64, len(d.Y)/width)
	for i := range y {
		y[i] = d.Y[i*width+c]
	}
	return y
}
