package model

import "math"

// gaussHermite returns the n nodes and weights of Gauss–Hermite quadrature for N(0, 1): Σ w f(x) is E f of all
// polynomials f up to degree 2n−1. A node is a root of the Hermite polynomial He_n. Newton's method finds one root
// after the other. The weight of a node is n!/(n He_n−1(x))².
func gaussHermite(n int) (nodes, weights []float64) {
	nodes, weights = make([]float64, n), make([]float64, n)
	for i := range (n + 1) / 2 {
		x := math.Sqrt(2*float64(n)+1) * math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5))
		var below float64
		for range 50 {
			var p float64
			p, below = hermitePolynomials(n, x)
			slope := math.Sqrt(float64(n)) * below
			for _, root := range nodes[:i] { // deflation: roots found before, and their mirrors, repel
				slope -= p * (1/(x-root) + 1/(x+root))
			}
			step := p / slope
			if x -= step; math.Abs(step) < 1e-15*(1+math.Abs(x)) {
				break
			}
		}
		_, below = hermitePolynomials(n, x)
		nodes[i], nodes[n-1-i] = x, -x
		weights[i] = 1 / (float64(n) * below * below)
		weights[n-1-i] = weights[i]
	}
	return nodes, weights
}

// hermitePolynomials returns He_n(x)/√n! and He_n−1(x)/√(n−1)!, by their recurrence.
func hermitePolynomials(n int, x float64) (p, below float64) {
	p = 1
	for k := range n {
		p, below = (x*p-math.Sqrt(float64(k))*below)/math.Sqrt(float64(k+1)), p
	}
	return p, below
}
