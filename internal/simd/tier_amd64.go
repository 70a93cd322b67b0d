package simd

import "golang.org/x/sys/cpu"

func writtenTiers() []tier { return []tier{scalar, avx2, avx512} }

// availableTiers asks the processor, and the operating system, which must save the registers.
func availableTiers() []tier {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return writtenTiers()[:1]
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2:
		return writtenTiers()
	default:
		return writtenTiers()[:2]
	}
}
