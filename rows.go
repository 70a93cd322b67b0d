package gpdrf

import "github.com/gpdrf/gpdrf-gpu/data/cellformat"

// Rows are N rows in memory. Each row has Inputs, a sequence, or both. Rows to train on or to score have targets of one
// kind: Values, Targets or Classes. A prediction ignores targets, weights, groups and times.
type Rows struct {
	// Columns are the names of the inputs; nil is x0, x1, ….
	Columns []string
	// Inputs [N][D] are the numbers of each row; nil where a row is a sequence alone.
	Inputs [][]float64
	// Sequences [N] are DNA, proteins, text or whole numbers between blanks; nil for none.
	Sequences []string
	// Tokens names the alphabet of training sequences, such as "dna" or "words"; "" detects it.
	Tokens string
	// Values [N] are the targets of a regression.
	Values []float64
	// Targets [N][T] are the targets of a regression with several targets, in place of Values.
	Targets [][]float64
	// TargetNames [T] are the names of several targets; nil is y0, y1, ….
	TargetNames []string
	// Classes [N] are the targets of a classification.
	Classes []string

	// Weights [N] are the numbers of copies that rows count as; nil for one each.
	Weights []float64
	// Groups [N] are names of groups, whose rows every split keeps together; nil for none.
	Groups []string
	// Times [N] are the times of rows: splits train on the past and test on the future; nil for no order.
	Times []float64
	// Offset [N] is added to the log rate of each row of counts: the logarithm of an exposure; nil for no offset.
	Offset []float64
}

// Matrix copies the rows of a matrix, such as gonum's mat.Matrix, for Rows.Inputs or Rows.Targets.
func Matrix(m interface {
	Dims() (r, c int)
	At(i, j int) float64
}) [][]float64 {
	r, c := m.Dims()
	rows, cells := make([][]float64, r), make([]float64, r*c)
	for i := range rows {
		rows[i] = cells[i*c : (i+1)*c : (i+1)*c]
		for j := range rows[i] {
			rows[i][j] = m.At(i, j)
		}
	}
	return rows
}

// ParseTime returns the time of a text in seconds since 1970 in UTC, for Rows.Inputs or Rows.Times. A time without a
// zone is UTC. order is "dmy" or "mdy", the order in 31/12/2020; "" refuses such texts. "clock" reads a time of day, in
// seconds since 0:00. ok is false for a text that is no time, such as 31 February.
func ParseTime(order, text string) (seconds float64, ok bool) {
	return cellformat.ParseTime(order, text)
}
