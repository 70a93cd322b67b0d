package main

import "strings"

// gemm_tile's flags.
const (
	lowerA = 1 << iota
	lowerB
	lowerC
	mirrorC
)

// tiling is a product of tiles: its blocks, the mean number of steps of each, the bytes that they
// stage, and the share of the steps of their warps that are left out. A step has so many squares of
// four, if not all.
type tiling struct {
	blocks, steps, staged, idle float64
	squares                     int
}

// work of a batch of products, with so many terms each.
func (t tiling) work(batch, terms int) work {
	n := t.steps * float64(terms)
	return work{
		blocks: t.blocks * float64(batch), staged: t.staged * float64(batch*terms),
		trips: steps(n), squares: t.squares,
		idle: func([]instruction) float64 { return t.idle },
	}
}

// product is the work of gemm_tile, by tiles of height rows and 64 columns. A step is 16 numbers of
// depth of its rows and columns; a row beyond the last is the last one again, and zeros of
// triangles are not read. A warp has 32×32 elements, and leaves out those that do not count.
func product(height, flags, m, n, k int, ta, tb bool) (t tiling) {
	lower, done := flags&(lowerC|mirrorC) != 0, 0.0
	squares := func(columns int) int {
		if ta || tb { // all, if any
			return 4
		}
		return min(up(columns, 8), 4)
	}
	most := squares(n)
	if most < 4 {
		t.squares = most
	}
	for i0 := 0; i0 < m; i0 += height {
		for j0 := 0; j0 < n; j0 += 64 {
			if lower && j0 > i0+height-64 {
				continue
			}
			begin, end := 0, k
			if flags&lowerA != 0 && ta {
				begin = i0
			}
			if flags&lowerA != 0 && !ta {
				end = min(end, i0+height)
			}
			if flags&lowerB != 0 && !tb {
				begin = max(begin, j0)
			}
			if flags&lowerB != 0 && tb {
				end = min(end, j0+64)
			}
			n16 := float64(up(max(end-begin, 0), 16))
			t.blocks++
			t.steps += n16
			t.staged += 8 * float64(numbers(i0, min(height, m-i0), flags&lowerA != 0, ta, begin, end)+
				numbers(j0, min(64, n-j0), flags&lowerB != 0, !tb, begin, end))
			for i := i0; i < i0+height; i += 32 {
				for _, j := range []int{j0, j0 + 32} {
					if i < m && j < n && !(lower && j > i) {
						done += n16 * 16 / float64(height) * float64(squares(n-j)) / float64(most)
					}
				}
			}
		}
	}
	t.idle = 1 - done/t.steps
	t.steps /= t.blocks
	return t
}

// numbers is how many numbers from begin to end of some rows are read; a triangle has those up to
// the diagonal, or from it on.
func numbers(first, rows int, triangle, after bool, begin, end int) (sum int) {
	for i := first; i < first+rows; i++ {
		from, to := begin, end
		switch {
		case triangle && after:
			from = max(from, i)
		case triangle:
			to = min(to, i+1)
		}
		sum += max(to-from, 0)
	}
	return sum
}

func gemm(l launch) work {
	a := l.args // flags, m, n, k, terms, α, β, a, lda, step, term, b, ldb, step, term, c, ldc, step
	flags, m, n, k, terms, batch := a[0], a[1], a[2], a[3], a[4], l.grid[2]
	ta, tb := strings.HasPrefix(l.name, "gemm_tn"), strings.HasPrefix(l.name, "gemm_nt")
	w := product(l.height(), flags, m, n, k, ta, tb).work(batch, terms)
	share := func(lower bool) float64 {
		if lower {
			return 0.5
		}
		return 1
	}
	each := func(rows, columns, step int, lower bool) float64 {
		copies := batch * terms
		if step == 0 {
			copies = terms
		}
		return 8 * float64(rows*columns*copies) * share(lower)
	}
	lower := flags&(lowerC|mirrorC) != 0
	w.double = 2 * float64(m*n*k*terms*batch) * share(flags&lowerA != 0) * share(flags&lowerB != 0) * share(lower)
	w.bytes = each(m, k, a[9], flags&lowerA != 0) + each(k, n, a[13], flags&lowerB != 0) +
		each(m, n, 1, flags&lowerC != 0)/float64(terms)
	return w
}

// ard: distances by a product, and an exponential each.
func ard(l launch) work {
	m, n, d, same, k := l.args[0], l.args[1], l.args[2], l.args[4] == 1, l.grid[2]
	flags, share := 0, 1.0
	if same {
		flags, share = lowerC, 0.5
	}
	w := product(l.height(), flags, m, n, d, false, true).work(k, 1)
	w.double = float64(m*n*k) * share * (2*float64(d) + 2)
	w.bytes = 8 * (float64(m*n*k) + float64((m+n)*d) + float64(k*d))
	products := w.trips
	w.trips = func(l *loop, code []instruction) float64 {
		if own := l.own(code); count(own, "STG") > 0 && count(own, "DMUL") > 0 {
			return 4 // ard_store, by rows
		}
		return products(l, code)
	}
	return w
}

// join is gemm_tile with a triangle: T = C A⁻¹, then −B⁻¹ T.
func join(l launch) work {
	second, h := l.args[0] == 1, l.args[2]
	flags := lowerB
	if second {
		flags = lowerA
	}
	matrices := l.grid[2]
	w := product(64, flags, h, h, h, false, false).work(matrices, 1)
	w.double = float64(matrices * h * h * h)
	w.bytes = float64(matrices) * 8 * 2.5 * float64(h*h)
	return w
}

// multiplies says whether instructions are a step of a product of tiles.
func multiplies(own []instruction) bool { return count(own, "DMMA") > 0 || count(own, "DFMA") >= 256 }

// someProducts leaves so many quarters of the products of a step.
func someProducts(own []instruction, quarters int) (some []instruction) {
	n := 0
	for _, i := range own {
		if i.op == "DMMA" || i.op == "DFMA" {
			if n++; n%4 >= quarters {
				continue
			}
		}
		some = append(some, i)
	}
	return some
}

// products are those of a step of a product of tiles, and their reads of shared memory.
func products(own []instruction) (some []instruction) {
	for _, i := range own {
		if i.op == "DMMA" || i.op == "DFMA" || i.op == "LDS" {
			some = append(some, i)
		}
	}
	return some
}
