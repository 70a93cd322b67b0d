package gpdrf

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
