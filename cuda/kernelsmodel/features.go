package main

import "strings"

// side and depth of the tiles of features_tile.cuh in float: a stage has depth terms. A thread has
// tall rows.
const side, depth, tall = 64, 24, 4

// layer is the arguments of the kernels over tiles of features.
type layer struct {
	rows, d, r, out int
	local           bool
	pieces          int // tiles that a block walks over
	tiles           int // in all
}

// features: the work of features_forward, features_inputs and features_gradients, as the comments
// of these kernels count it.
func features(l launch) work {
	a := l.args // rows, d, R, d', draws of Ω and W, arccos, log α, h, Ω, W, contrast, span, …
	n := layer{rows: a[0], d: a[1], r: a[2], out: a[3], local: a[11] == 1}
	span, groups := a[12], 1
	kind := strings.TrimSuffix(strings.TrimPrefix(l.name, "features_"), "_f32")
	n.pieces = up(min(span, n.r), side)
	if kind == "gradients" {
		n.pieces, groups = up(min(span, n.rows), side), l.grid[2]
	} else {
		groups = l.grid[0] / up(n.rows, side)
	}
	n.tiles = groups * up(n.rows, side) * up(n.r, side)
	points := float64(groups * n.rows * n.r)
	d, out, extra := float64(n.d), float64(n.out), 0.0
	if n.local {
		extra = 2 * out
	}
	var flop, bytes float64
	weights, spectra := float64(2*n.r*n.out*a[5]), float64(n.d*n.r*a[4])
	switch all := float64(groups * n.rows); kind {
	case "forward":
		flop, bytes = 2*d+4*out+extra, all*(d+out)+weights+spectra
	case "inputs":
		flop, bytes = 4*d+4*out+extra, all*(2*d+out)+weights+spectra
	default:
		parts := float64(l.grid[1] * l.grid[2])
		flop, bytes = 4*d+8*out+2*extra, all*(d+out)+weights+spectra+parts*float64(n.r)*(d+2*out)
	}
	w := work{
		real: points * (flop + 2), bytes: 4 * bytes,
		staged: float64(n.tiles) * 4 * side * (2*d + 4*out),
		trips:  n.trips,
	}
	if max(n.d, n.out) <= side { // else the sums are stored with each tile
		w.pieces = float64(n.pieces)
	}
	return w
}

// trips: the loop over pieces is there for local reparameterisation and for the rest, in this
// order. Inside are the loop of the sines, and loops over stages, some in a loop over columns. A
// stage has a loop over four terms at a time for each product and each number of columns of a
// thread.
func (n layer) trips(in *loop, code []instruction) float64 {
	own := in.own(code)
	switch {
	case len(in.inner) == 0 && sines(own):
		return tall // of four numbers at a time
	case in.level() == 1 && len(in.inner) > 2:
		if local := in.at == 0; local != n.local {
			return 0
		}
		return float64(n.pieces)
	case in.level() < 2:
		return 0
	case len(in.inner) == 0: // four terms
		terms, columns := n.stage(in.around, code)
		if terms == 0 || len(in.around.inner) > 1 && count(own, "FFMA") != 4*tall*wide(columns) {
			return 0
		}
		return float64(up(terms, 4)) / float64(up(terms, depth))
	case len(in.inner[0].inner) > 0:
		return 1 // columns, of which there are few
	}
	terms, _ := n.stage(in, code)
	return float64(up(terms, depth))
}

// stage is the terms and columns of the products of a stage, which their number and places tell.
func (n layer) stage(in *loop, code []instruction) (terms, columns int) {
	squares := count(in.inner[0].own(code), "FMUL") > 0
	switch products := len(in.inner); {
	case products == 1 && in.at == 0:
		return n.d, side // P
	case products == 1:
		return n.out, side // dP
	case products == 3 && !squares && in.at < len(in.around.inner)-1:
		return 0, 0 // of arc-cosine kernels
	case products == 3 && !squares && in.around.level() > 1:
		return side, n.d
	}
	return side, n.out
}

// wide is how many columns a thread takes of a tile with so many.
func wide(columns int) int {
	switch {
	case columns <= side/4:
		return 1
	case columns <= side/2:
		return 2
	}
	return 4
}

// sines says whether instructions are the loop of the sines.
func sines(own []instruction) bool { return count(own, "FSEL", "FSETP") >= 16 }

// markLayer marks what is known of the kernels of a layer: reads of operands, whose lanes are
// placed so that they are paired; branches that skip the results of a block; and the sines of far
// numbers, which phases are not.
func markLayer(code []instruction, l *loop) {
	for _, in := range l.inner {
		markLayer(code, in)
	}
	if l.around == nil {
		return
	}
	own := l.own(code)
	products := len(l.inner) == 0 && !sines(own) && count(own, "FFMA") >= 4*tall
	for at := l.first; at <= l.last; at++ {
		i := &code[at]
		if products {
			i.paired = i.full == "LDS.128"
		}
		if i.always || i.target <= at || i.target > l.last {
			continue
		}
		skipped := code[at+1 : i.target]
		i.stores = count(skipped, "STG") >= 16 && count(skipped, "BAR") == 0
		if sines(own) && count(skipped, "DFMA") > 0 {
			for far := range skipped {
				skipped[far].dead = true
			}
		}
	}
}

// written is code that stores results, without the branch that reads what is there before: there is
// something only where a layer has more columns than a tile.
func written(code []instruction, from, end int) (some []instruction) {
	for at := from; at < end; at++ {
		i := code[at]
		some = append(some, i)
		if i.target > at && i.target <= end {
			if skipped := code[at+1 : i.target]; count(skipped, "LDG") >= 16 && count(skipped, "STG") == 0 {
				at = i.target - 1
			}
		}
	}
	return some
}
