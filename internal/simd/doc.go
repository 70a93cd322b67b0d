// Package simd holds the floating-point kernels of the CPU backend.
package simd
