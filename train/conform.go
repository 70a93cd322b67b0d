package train

import "context"

// conform scores the rows that were held out for intervals, after all else is settled. Who has pressed Ctrl-C
// does not wait for it.
func (j *Job) conform(ctx context.Context, out *Outcome) error {
	if j.Conformal == nil || out.End == Interrupted {
		return nil
	}
	return out.Trained.Conform(ctx, j.Device, j.Conformal, j.Config.Level)
}
