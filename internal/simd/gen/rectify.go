package main

import "github.com/mmcloughlin/avo/reg"

// rectify computes phi = co[0] + p(co[1] + co[2] p) and slope = co[3] + co[4] p where p > 0, and 0 elsewhere; NaN
// stays.
func rectify(v vec) {
	v.function(v.name("rectify"), "func(n int, phi, slope, p *T, co *[5]T)")
	n, co := param("n"), param("co")
	k := v.coefficients(co, 5)
	zero := v.reg()
	v.zero(zero)
	v.each(n, []reg.GPVirtual{param("phi"), param("slope"), param("p")}, func(e elements) {
		p, phi, slope := e.load(2), v.reg(), v.reg()
		positive := v.compare(notLessEqual, p, zero)
		v.do(copyReg, k[2], phi)
		v.do(fma213, k[1], p, phi)
		v.do(fma213, k[0], p, phi)
		v.do(copyReg, k[4], slope)
		v.do(fma213, k[3], p, slope)
		v.keep(positive, phi)
		v.keep(positive, slope)
		e.store(phi, 0)
		e.store(slope, 1)
	})
	leave()
}
