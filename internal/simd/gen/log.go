package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// exponentUnit is one unit of a float32's exponent, among the bits.
const exponentUnit = 1 << 23

// logNormal computes a·(ln x + shift/exponentUnit·ln 2) for a normal x > 0 and a, 1 or −2, whose powers are exact
// factors: x = 2ᵉ(1+f) with 1+f from √½ to √2, ln(1+f) = f − f²/2 + f³ p(f), p minimax for a relative error of 6e-9. It
// overwrites x. shift may be nil. ln 2 in single precision is off by 2e-9 only, and needs no second part.
func (v vec) logNormal(x, shift reg.VecVirtual, a float64) reg.VecVirtual {
	const rootHalf, exponent = 0x3f3504f3, 0xff800000
	t, e := v.reg(), v.reg()
	v.do(subInt, v.i(rootHalf), x, t)
	v.do(and, v.i(exponent), t, t)
	VCVTDQ2PS(t, e) // e·exponentUnit
	v.do(subInt, t, x, x)
	if shift != nil {
		v.do(add, shift, e, e)
	}
	if a == 1 {
		v.do(sub, v.f(1), x, x)
	} else {
		v.do(fma213, v.f(-a), v.constant(v.f(a)), x)
	}
	c := []float64{-0.5, 0.33333331752096600595, -0.25000819549555939175, 0.20001221120010828179,
		-0.16623409495474420059,
		0.14201939338055977632, -0.13159828525051140452, 0.12760027956151754616, -0.076334699492886802314}
	for i := range c { // coefficients of a·f, which is now in x
		c[i] /= math.Pow(a, float64(i+1))
	}
	p := v.horner(x, c)
	square := v.reg()
	v.do(mul, x, x, square)
	v.do(fma213, x, square, p)
	v.do(fma231, v.f(a*math.Ln2/exponentUnit), e, p)
	return p
}
