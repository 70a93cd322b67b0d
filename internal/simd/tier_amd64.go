package simd

import "golang.org/x/sys/cpu"

// bestTier asks the processor, and the operating system, which must save the registers.
func bestTier() tier {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return scalar
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2:
		return avx512
	default:
		return avx2
	}
}
