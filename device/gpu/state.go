//go:build cuda && cgo

package gpu

// state is the device memory that operations keep from one call to the next, by operation.
type state struct {
	triangle   triangleState
	potrf      potrfState
	likelihood likelihoodState
	kl         klState
	whiten     whitenState
	moments    momentsState
	ard        ardState
	mix        mixState
	sparse     sparseState
	natural    naturalState

	frequencies scratch // [d], in double: sums for dlog ρ
}
