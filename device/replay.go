package device

// StepScalars holds the numbers that change from one training step to the next. All other arguments of a step are the
// same each time.
type StepScalars struct {
	Step     uint32  // number of the step from 1, for Keys whose noise is not frozen and for Adam's bias corrections
	LR       float64 // the learning rate
	KLWeight float64 // the weight of the KL terms
	Natural  float64 // the size of NaturalStep
}

// LiveScalars is StepScalars as the work of a loop passes it on to operations.
type LiveScalars struct {
	Step                  StepNumber
	LR, KLWeight, Natural Scalar
}

// StepNumber is the number of a step. A live number changes with each step of a loop: a record reads it again in each
// replay. A number that is not live keeps its value in all replays.
type StepNumber struct {
	N    uint32
	live bool
}

// IsLive reports whether the number changes from step to step.
func (s StepNumber) IsLive() bool { return s.live }

// Scalar is a number that an operation takes. Like a StepNumber, it is live, or the same in each step.
type Scalar struct {
	Value float64
	live  bool
}

// IsLive reports whether the number changes from step to step.
func (s Scalar) IsLive() bool { return s.live }

// Live converts n for the work of a loop.
func (s StepScalars) Live() LiveScalars {
	scalar := func(v float64) Scalar { return Scalar{v, true} }
	return LiveScalars{StepNumber{s.Step, true}, scalar(s.LR), scalar(s.KLWeight), scalar(s.Natural)}
}

// Recorder is a device that can record work.
type Recorder interface {
	// Record gives a function that does the same as work, with the same bits. It may call work at any time, or not at
	// all; see NewLoop for the conditions on work.
	Record(work func(LiveScalars)) func(StepScalars)
}

// NewLoop returns a function that does a piece of work each time, such as a training step. A device that is a Recorder
// records the work once and then replays the record. The calls of the device's operations and their arguments must be
// the same each time, except those that are live. Work passes live arguments on unchanged. It neither uploads nor
// downloads, and what it does outside the device is the same each time.
func NewLoop(dev Device, work func(LiveScalars)) func(StepScalars) {
	run := func(now StepScalars) { work(now.Live()) }
	if r, ok := dev.(Recorder); ok {
		run = r.Record(work)
	}
	return func(now StepScalars) {
		if now.Step == 0 {
			panic("device: the steps of a loop count from 1")
		}
		run(now)
	}
}
