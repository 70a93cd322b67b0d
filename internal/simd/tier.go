package simd

import (
	"fmt"
	"os"
)

// tier is a set of instructions that kernels are written for.
type tier int

const (
	scalar tier = iota
	avx2
	avx512
)

func (t tier) String() string { return [...]string{"scalar", "avx2", "avx512"}[t] }

// active is the tier in use and tierErr what was wrong with the environment; both
// are set once, here.
var active, tierErr = chooseTier(os.Getenv("GPDRF_SIMD"), bestTier())

// Tier names the instructions in use: "avx512", "avx2" or "scalar". It is the best
// that the processor has, unless the environment variable GPDRF_SIMD names a lower one.
func Tier() string { return active.String() }

// TierError says why the tier that GPDRF_SIMD names is not in use; nil if it is, or
// if the variable is not set.
func TierError() error { return tierErr }

func chooseTier(name string, best tier) (tier, error) {
	if name == "" {
		return best, nil
	}
	for t := scalar; t <= avx512; t++ {
		if t.String() != name {
			continue
		}
		if t > best {
			return best, fmt.Errorf("GPDRF_SIMD=%s: this processor has no %s, using %s", name, name, best)
		}
		return t, nil
	}
	return best, fmt.Errorf("GPDRF_SIMD=%s: no such instructions: use avx512, avx2 or scalar", name)
}
