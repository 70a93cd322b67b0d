package simd

func writtenTiers() []tier { return []tier{scalar, neon} }

// availableTiers returns both: every arm64 processor has NEON.
func availableTiers() []tier { return writtenTiers() }
