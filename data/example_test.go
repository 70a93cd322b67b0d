package data_test

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
)

func ExampleFromRows() {
	rows, err := data.FromRows(data.Rows{
		Columns: []string{"length", "width"},
		Inputs:  [][]float64{{5.1, 3.5}, {7, 3.2}, {4.9, 3}, {6.4, 3.2}},
		Classes: []string{"setosa", "versicolor", "setosa", "versicolor"},
	})
	fmt.Println(rows.N(), rows.D(), rows.Task, rows.Classes, err)
	// Output:
	// 4 2 classification [setosa versicolor] <nil>
}

func ExampleFromRows_sequences() {
	rows, err := data.FromRows(data.Rows{
		Sequences: []string{"ACGT", "GGCA", "TTACCA"},
		Values:    []float64{0.5, 1.5, 2},
	})
	fmt.Println(rows.N(), rows.Sequences.Alphabet.Kind, rows.Task, err)
	// Output:
	// 3 dna regression <nil>
}
