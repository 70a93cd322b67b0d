// Command gen writes the amd64 assembly of package simd. Run it by `go generate` in the parent folder.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	for _, v := range []vec{{bytes: 64}, {bytes: 64, double: true}, {bytes: 32}, {bytes: 32, double: true}} {
		gemm(v)
		exp(v)
		dot(v)
		axpy(v)
		adam(v)
		if v.double {
			multiply(v)
			rbf(v)
			matern(v)
			laplace(v)
		}
	}
	for _, v := range []vec{{bytes: 64}, {bytes: 32}} {
		packRows(v)
		sinCos(v)
		normals(v)
		rotate(v)
		rectify(v)
		integrate(v)
		integrateSlopes(v)
		matches(v, 3)
		matches(v, 5)
	}
	transpose32()
	transpose64()
	Generate()
}
