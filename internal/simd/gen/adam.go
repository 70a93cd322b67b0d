package main

import "github.com/mmcloughlin/avo/reg"

// adam takes one step of Adam, which updates p, m and v; co holds β1, 1−β1, β2, 1−β2, StepSize, RootScale, Eps, L2,
// Scale.
func adam(v vec) {
	v.function(v.name("adam"), "func(n int, p, grad, m, v, rate *T, co *[9]T)")
	n, co := param("n"), param("co")
	c := v.coefficients(co, 9)
	beta1, rest1, beta2, rest2, step, root, eps, l2, scale := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]
	ptrs := []reg.GPVirtual{param("p"), param("grad"), param("m"), param("v"), param("rate")}
	v.each(n, ptrs, func(e elements) {
		p, g := e.load(0), e.load(1)
		v.do(mul, scale, g, g)
		v.do(fma231, l2, p, g)
		m := e.load(2)
		v.do(mul, beta1, m, m)
		v.do(fma231, rest1, g, m)
		e.store(m, 2)
		s := e.load(3)
		v.do(mul, beta2, s, s)
		v.do(mul, g, g, g)
		v.do(fma231, rest2, g, s)
		e.store(s, 3)
		v.do(sqrt, s, s)
		v.do(fma213, eps, root, s)
		v.do(mul, step, m, m)
		v.do(mul, e.load(4), m, m)
		v.do(div, s, m, m)
		v.do(sub, m, p, p)
		e.store(p, 0)
	})
	leave()
}
