package report

import (
	"bytes"
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// keptInputs is the number of inputs of a test row that are kept beside its prediction.
const keptInputs = 12

// KeepTestRows returns the text of PredictionsFile, and the importance of inputs. steps is the number of training steps
// of the model. Soon after ctx is done, it returns the cause of ctx as the error.
func KeepTestRows(ctx context.Context, t *fitted.Model, c options.Config, steps int, dev device.Device,
	test *data.Dataset, scores *fitted.Scores) (predictions []byte, importance *Importance, err error) {
	rows := test.Subset(scores.Kept.Rows)
	p := scores.Kept.Prediction
	if importance, err = permutationImportance(ctx, t, c, steps, dev, rows); err != nil {
		return nil, nil, err
	}
	out := predict.NewTable(t, rows, p, nil, c.PredictDraws, t.Seed)
	numbers := scores.Kept.Rows
	if rows.OriginalRows != nil { // rows have their numbers in the file
		numbers = rows.OriginalRows
	}
	out.AddFirst(rowColumn, func(i int) predict.Cell { return predict.Cell{Value: float64(numbers[i] + 1)} })
	if t.Schema.Task == data.Classification {
		density := t.LogDensities(p, rows, 0).Log
		addColumn(out, densityColumn, func(i int) float64 { return density[i] })
	} else {
		names := t.Schema.Outputs()
		for o, name := range names {
			r := predict.NewRegression(t, p, o)
			if c.PredictDraws > 0 {
				r = r.WithDraws(c.PredictDraws, t.Seed)
			}
			y := func(i int) float64 { return rows.Y[i*len(names)+o] }
			addColumn(out, predict.ColumnPrefix(name, names)+densityColumn,
				func(i int) float64 { return r.LogDensity(i, y(i)) })
			addColumn(out, predict.ColumnPrefix(name, names)+pitColumn,
				func(i int) float64 { return r.PIT(i, numbers[i], y(i), t.Seed) })
		}
	}
	for _, column := range keptColumns(t.Schema, importance) {
		addColumn(out, inputPrefix+t.Schema.Columns[column], func(i int) float64 { return rows.Row(i)[column] })
	}
	var text bytes.Buffer
	err = out.Write(&text, predict.CSV)
	return text.Bytes(), importance, err
}

// keptColumns returns the inputs that a report shows: the most important ones, or the first. A number of a word has no
// place on an axis.
func keptColumns(s data.Schema, importance *Importance) (columns []int) {
	inputs, words := s.Inputs(), s.NumberedWords()
	if importance != nil {
		var ranked []data.Input
		for _, in := range importance.Inputs {
			for _, input := range inputs {
				if input.Name == in.Name {
					ranked = append(ranked, input)
				}
			}
		}
		inputs = ranked
	}
	for _, in := range inputs {
		isNumber := !slices.ContainsFunc(words, func(w data.NumberedWords) bool { return w.Column == in.Name })
		if len(in.Columns) > 0 && isNumber && len(columns) < keptInputs {
			columns = append(columns, in.Columns[0])
		}
	}
	return columns
}

// addColumn adds a column of numbers after the others.
func addColumn(t *predict.Table, name string, of func(i int) float64) {
	t.Add(name, func(i int) predict.Cell { return predict.Cell{Value: of(i)} })
}
