package dist

import "time"

// WithTimeout returns a Comm whose calls have a time limit; 0 is no limit. After the limit of a call, late is called
// once, and the call continues. This is the only sign of a dead rank that the launcher does not see.
func WithTimeout(c Comm, limit time.Duration, late func(call string)) Comm {
	if limit == 0 || c.Size() == 1 {
		return c
	}
	return &watched{c, limit, late}
}

type watched struct {
	Comm
	limit time.Duration
	late  func(call string)
}

func (w *watched) start(call string) (stop func() bool) {
	return time.AfterFunc(w.limit, func() { w.late(call) }).Stop
}

func (w *watched) AllReduce(x []float64) error {
	defer w.start("sum")()
	return w.Comm.AllReduce(x)
}

func (w *watched) Broadcast(b []byte, root int) error {
	defer w.start("broadcast")()
	return w.Comm.Broadcast(b, root)
}

func (w *watched) Barrier() error {
	defer w.start("barrier")()
	return w.Comm.Barrier()
}

func (w *watched) Close() error {
	defer w.start("end")()
	return w.Comm.Close()
}
