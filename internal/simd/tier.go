package simd

// Tier names the instructions in use: "avx512", "avx2" or "scalar".
func Tier() string { return "scalar" }

// TierError says what was wrong with the environment variable GPDRF_SIMD, or is nil.
func TierError() error { return nil }
