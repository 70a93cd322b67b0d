// Package philox is the counter-based random number generator Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011) and the
// normals made from it.
//
// A word is a pure function of a 64-bit key and a 128-bit counter: there is no state to carry, so any element of any
// stream can be drawn by itself, in any order and on any device. This package is the scalar definition; the vector
// kernels of internal/simd are tested against it.
//
// A row of numbers is addressed by a key and three counter words c1, c2, c3 (device.Key.Words makes them); element i of
// the row is word i mod 4 of the block with counter {i/4, c1, c2, c3}.
package philox

import "math"

// The multipliers of the two halves of a round, and the Weyl increments of the key.
const (
	mul0   = 0xD2511F53
	mul1   = 0xCD9E8D57
	weyl0  = 0x9E3779B9
	weyl1  = 0xBB67AE85
	rounds = 10
)

// Block computes Philox4x32-10: ten rounds, with an increment of the key between rounds.
func Block(key [2]uint32, ctr [4]uint32) [4]uint32 {
	x0, x1, x2, x3 := ctr[0], ctr[1], ctr[2], ctr[3]
	k0, k1 := key[0], key[1]
	for range rounds {
		p0, p1 := uint64(x0)*mul0, uint64(x2)*mul1
		x0, x1, x2, x3 = uint32(p1>>32)^x1^k0, uint32(p1), uint32(p0>>32)^x3^k1, uint32(p0)
		k0 += weyl0
		k1 += weyl1
	}
	return [4]uint32{x0, x1, x2, x3}
}

// Schedule returns the key of each round, two words a round, for kernels that keep no key.
func Schedule(key [2]uint32) (words [2 * rounds]uint32) {
	for r := range rounds {
		words[2*r], words[2*r+1] = key[0], key[1]
		key[0] += weyl0
		key[1] += weyl1
	}
	return words
}

// Normals turns the four words of a block into four standard normals by the Box-Muller transform, two words for two
// normals:
//
//	u1 = ((w0>>8) + 1)·2⁻²⁴ in (0, 1],  u2 = (w1>>8)·2⁻²⁴ in [0, 1)
//	z0 = √(−2 ln u1) cos 2πu2,          z1 = √(−2 ln u1) sin 2πu2
//
// and z2, z3 from w2, w3. The largest |z| is √(−2 ln 2⁻²⁴) ≈ 5.77.
func Normals(w [4]uint32) (z [4]float64) {
	z[0], z[1] = boxMuller(w[0], w[1])
	z[2], z[3] = boxMuller(w[2], w[3])
	return z
}

func boxMuller(w0, w1 uint32) (float64, float64) {
	radius := math.Sqrt(-2 * math.Log(float64(w0>>8+1)*0x1p-24))
	sin, cos := math.Sincos(2 * math.Pi * 0x1p-24 * float64(w1>>8))
	return radius * cos, radius * sin
}

// Normal returns element i of a row of standard normals.
func Normal(key [2]uint32, c1, c2, c3 uint32, i int) float64 {
	return Normals(Block(key, [4]uint32{uint32(i / 4), c1, c2, c3}))[i%4]
}

// Uint32 returns element i of a row of uniform words.
func Uint32(key [2]uint32, c1, c2, c3 uint32, i int) uint32 {
	return Block(key, [4]uint32{uint32(i / 4), c1, c2, c3})[i%4]
}

// Below fills dst with numbers below n, uniformly and with replacement: ⌊n·w_i/2³²⌋ of word i of a row.
func Below(dst []int32, n int, key [2]uint32, c1, c2, c3 uint32) {
	for i := 0; i < len(dst); i += 4 {
		for k, w := range Block(key, [4]uint32{uint32(i / 4), c1, c2, c3}) {
			if i+k < len(dst) {
				dst[i+k] = int32(uint64(w) * uint64(n) >> 32)
			}
		}
	}
}

// Permutation fills dst with a random order of the numbers 0 … len(dst)−1 by the Fisher-Yates shuffle. Position i takes
// the words 2i and 2i+1 of the row as one 64-bit number, so that the bias of its reduction to 0 … i is below 2⁻³².
func Permutation[Index int | int32](dst []Index, key [2]uint32, c1, c2, c3 uint32) {
	for i := range dst {
		w := Block(key, [4]uint32{uint32(i / 2), c1, c2, c3})
		hi, lo := uint64(w[i%2*2]), uint64(w[i%2*2+1])
		// floor((hi·2³² + lo)·(i+1) / 2⁶⁴) without a 128-bit product: i+1 fits 32 bits.
		n := uint64(i + 1)
		j := (hi*n + lo*n>>32) >> 32
		dst[i] = dst[j]
		dst[j] = Index(i)
	}
}
