package device

// Now is what changes from one training step to the next: everything else that a step needs is the
// same each time.
type Now struct {
	Step     uint32  // from 1: of Keys whose noise is not frozen, and of Adam's bias corrections
	LR       float64 // the learning rate
	KLWeight float64 // the weight of the divergences
	Natural  float64 // the size of NaturalStep
}

// Loop repeats one piece of work, such as a training step. A device that is a Recorder records the
// work once and then replays the record; every other device just does the work.
type Loop struct{ run func(Now) }

// Recorder is a device that can record work.
type Recorder interface {
	// Record gives a function that does what work does, with the same bits. It may call work at any
	// time, or not at all; see NewLoop for what work must be.
	Record(work func(Now)) func(Now)
}

// NewLoop makes a loop of calls of a device's operations. The calls and their arguments must be the
// same each time, except four numbers that follow Now: the Step of Keys and of Average, LR and Step
// of AdamSteps (whose betas are the same), the weight of KL terms, and the size of NaturalSteps.
// Work neither uploads nor downloads, and does nothing that the device does not see.
func NewLoop(dev Device, work func(Now)) *Loop {
	if r, ok := dev.(Recorder); ok {
		work = r.Record(work)
	}
	return &Loop{work}
}

// Run does the work once.
func (l *Loop) Run(now Now) {
	if now.Step == 0 {
		panic("device: the steps of a loop count from 1")
	}
	l.run(now)
}
