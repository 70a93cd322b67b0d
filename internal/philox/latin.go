package philox

import "math"

// Latin returns four standard normals of one point of a Latin hypercube (McKay, Beckman and Conover 1979). They equal
// Normals of the block with counter {c0, c1, c2, c3}, with one difference. Over the points s = 0 … n−1, each coordinate
// has one value in each of n strata of equal probability, in a different order:
//
//	ε_s = Φ⁻¹((π(s) + v_s)/n),  π a random permutation of 0 … n−1,  v_s uniform in (0, 1)
//
// The upper half of c3 is the number of the point: numbers n·i … n·i+n−1 are the points of hypercube i. The word w_s of
// point s at this coordinate is both its place among the points up to it, ⌊w_s (s+1)/2³²⌋, and v_s, the fraction that
// this leaves. A later point that takes a place at or below the place of s moves s up by one. So π depends on the words
// of point s and of the later points.
func Latin(key [2]uint32, c0, c1, c2, c3 uint32, n int) (z [4]float64) {
	s := int(c3>>16) % n
	var stratum, rest [4]uint32
	for i, w := range Block(key, [4]uint32{c0, c1, c2, c3}) {
		product := uint64(w) * uint64(s+1)
		stratum[i], rest[i] = uint32(product>>32), uint32(product)
	}
	for t := s + 1; t < n; t++ {
		c3 += 1 << 16
		for i, w := range Block(key, [4]uint32{c0, c1, c2, c3}) {
			if uint32(uint64(w)*uint64(t+1)>>32) <= stratum[i] {
				stratum[i]++
			}
		}
	}
	for i := range z {
		// 2p − 1, of which the numerator is exact
		z[i] = math.Sqrt2 * math.Erfinv((float64(2*int(stratum[i])-n)+(2*float64(rest[i])+1)*0x1p-32)/float64(n))
	}
	return z
}
