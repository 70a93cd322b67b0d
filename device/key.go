package device

// Site names the random variable that a draw is for, so that no two variables of the model ever share a stream.
type Site uint8

const (
	SiteWeights     Site = 1 + iota // e of reparam_W, or the noise of local reparameterisation
	SiteFrequencies                 // τ of reparam_Omega
	SiteLatents                     // ε of reparam_F
	SiteBatch                       // choice of the rows of a batch
	SiteInit                        // initial values
	SiteSplit                       // held-out rows, subsets for k-means
	SitePredict                     // draws of y* (pred_ys_mc)
)

// Key addresses a stream of standard normals. Randomness is an argument: the element at (Sample, row, column) is a pure
// function of the key and those numbers, through Philox4x32-10 with
//
//	key     = Seed (low word, high word)
//	counter = { column/4, row, Step, Sample<<16 | Site<<8 | Layer }
//
// whose four output words give the normals of columns 4c … 4c+3 (see internal/philox). The CPU at any goroutine count
// and a GPU draw the same numbers, backward regenerates the draws of forward, and a resumed run continues the stream of
// the run before it.
type Key struct {
	Seed   uint64
	Step   StepNumber
	Sample uint32 // number of the first Monte-Carlo sample; an op adds s
	Site   Site
	Layer  uint8

	// Strata is n if the samples n·i … n·i+n−1 are the points of a Latin hypercube, as philox.Latin draws them, and 0
	// if samples are independent. Each sample is a standard normal.
	Strata int
}

// Words returns the Philox key and the three counter words that do not depend on the column.
func (k Key) Words(sample, row int) (key [2]uint32, c1, c2, c3 uint32) {
	key = [2]uint32{uint32(k.Seed), uint32(k.Seed >> 32)}
	number := k.Sample + uint32(sample)
	return key, uint32(row), k.Step.N, number<<16 | uint32(k.Site)<<8 | uint32(k.Layer)
}
