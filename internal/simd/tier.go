package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// tier is a set of instructions that kernels are written for.
type tier int

const (
	scalar tier = iota
	avx2
	avx512
	neon
)

func (t tier) String() string { return [...]string{"scalar", "avx2", "avx512", "neon"}[t] }

// active is the tier in use and tierErr the error in the environment; both are set once, here.
var active, tierErr = chooseTier(os.Getenv("GPDRF_SIMD"), writtenTiers(), availableTiers())

// Tier names the instructions in use: "avx512", "avx2", "neon" or "scalar". It is the best that the processor has,
// unless the environment variable GPDRF_SIMD names a lower one.
func Tier() string { return active.String() }

// TierError returns the reason why the tier that GPDRF_SIMD names is not in use; nil if it is, or if the variable is
// not set.
func TierError() error { return tierErr }

// chooseTier chooses a tier by name, or the best without one. written are the tiers for this architecture; available
// are the tiers that this processor has, the best last.
func chooseTier(name string, written, available []tier) (tier, error) {
	best := available[len(available)-1]
	if name == "" {
		return best, nil
	}
	for _, t := range available {
		if t.String() == name {
			return t, nil
		}
	}
	var names []string
	for _, t := range written {
		if t.String() == name {
			return best, fmt.Errorf("GPDRF_SIMD=%s: this processor has no %s; using %s", name, name, best)
		}
		names = append(names, t.String())
	}
	slices.Reverse(names)
	return best, fmt.Errorf("GPDRF_SIMD=%s: there is no such set of instructions: use %s", name,
		strings.Join(names, " or "))
}
