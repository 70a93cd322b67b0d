package model

// SolveRows replaces the distances of rows to X̄, a table, by A = L⁻¹ Kuf/α of qF_anj and qF_Bnj, if no parameter of
// the kernel learns. A is the same in every step then. So the solve of M² products for each row is done once, and not
// each time that a row is drawn. The table holds 2(1 − A), which the linear kernel reads as A: no operation is new.
// A has the precision of the table. Other data stays as it is, and so do rows whose latent functions do not share a
// kernel.
//
// It uses the pass's memory, and changes its row numbers. going is called with the number of finished rows. If it
// returns false, the work ends and the data is unusable.
func (m *Model) SolveRows(ws *Workspace, data *Rows, going func(done int) bool) {
	if m.gp == nil || !m.gp.fixed || m.cfg.kernels() > 1 || data.d == nil || data.from != nil || data.solved {
		return
	}
	q := &ws.chunks[0]
	b, inducing := q.b, m.cfg.Inducing
	rows := make([]int32, b)
	a, table := make([]float64, inducing*b), make([]float64, b*inducing)
	m.gp.factorise()
	for lo := 0; lo < data.N && going(lo); lo += b {
		for i := range rows {
			rows[i] = int32(min(lo+i, data.N-1)) // the last chunk is filled up with the last row
		}
		m.dev.UploadInts(q.rows, rows)
		q.gp.in.gather(m.dev, data, q.rows)
		m.gp.solve(q.gp)
		m.dev.Download(a, q.gp.a)
		for i := range b {
			for j := range inducing {
				table[i*inducing+j] = 2 * (1 - a[j*b+i])
			}
		}
		n := min(b, data.N-lo)
		m.dev.Upload(data.d.View(lo*inducing, n, inducing), table[:n*inducing])
	}
	data.solved = true
}
