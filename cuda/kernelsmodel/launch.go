package main

import (
	"github.com/gpdrf/gpdrf-gpu/internal/workload"

	"fmt"
	"strconv"
	"strings"
)

// launch is a line of the record of a step (device/gpu/launches_test.go): a kernel, its grid and
// dynamic shared memory, and its arguments; 1 stands for a pointer, 0 for a nil one and for what is
// no whole number.
type launch struct {
	name    string
	grid    [3]int
	shared  int
	args    []int
	threads int // of a block, in the image that runs; 0: any
}

func parseLaunches(text string) (all []launch, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			return nil, fmt.Errorf("%q is not a launch", strings.TrimSpace(line))
		}
		l := launch{name: words[0]}
		for _, word := range words[1:] {
			number, known := map[string]int{"*": 1, "-": 0, ".": 0}[word]
			if !known {
				if number, err = strconv.Atoi(word); err != nil {
					return nil, fmt.Errorf("%s: %q is not an argument", l.name, word)
				}
			}
			l.args = append(l.args, number)
		}
		l.grid, l.shared, l.args = [3]int(l.args[:3]), l.args[3], l.args[4:]
		all = append(all, l)
	}
	return all, nil
}

func (l launch) blocks() int { return l.grid[0] * l.grid[1] * l.grid[2] }

// height is the rows of a tile of a product.
func (l launch) height() int { return max(64, l.threads/2) }

// work is what a launch has to do, and how it goes about it.
type work struct {
	real, double float64 // FLOP, as internal/workload counts them
	bytes        float64 // of each argument, once
	blocks       float64 // that do not end at once; 0: all
	staged       float64 // bytes that its blocks read, of which the second level of cache has most
	// idle is which share of the warps leaves out the products of a loop. Nil: none.
	idle func(loop []instruction) float64
	// squares is how many of four a warp computes at most in a step of a product. 0: all.
	squares int
	// pieces is how often a block comes to the code that stores its results, which it does once. 0:
	// it stores each time.
	pieces float64
	// trips is how often a loop runs for each time that the code around it does. Nil: not at all.
	trips func(l *loop, code []instruction) float64
}

// cost is the work as the floors of internal/workload take it.
func (w work) cost() workload.Cost {
	return workload.Cost{Real: w.real, Double: w.double, Bytes: w.bytes}
}

func up(a, b int) int { return (a + b - 1) / b }

// workOf is the work of a launch, with the formulas of cuda/kernels, and whether it is known.
func workOf(l launch) (w work, known bool) {
	name := l.name
	if i := strings.LastIndexByte(name, '_'); i > 0 && (name[i:] == "_f32" || name[i:] == "_f64") {
		name = name[:i]
	}
	f := works[name]
	if f == nil {
		return w, false
	}
	return f(l), true
}

// stream is the work of a kernel that reads and writes memory once: bytes in all, and in its loop
// so many loads for each thread. A loop that is unrolled has another after it, for what is left.
func stream(bytes float64, loads int) work {
	return work{bytes: bytes, trips: func(l *loop, code []instruction) float64 {
		n, most, as := count(l.own(code), "LDG"), 0, 0
		for _, other := range l.around.inner {
			switch m := count(other.own(code), "LDG"); {
			case m > most:
				most, as = m, 1
			case m == most:
				as++
			}
		}
		switch {
		case n == 0:
			return 0
		case n == most:
			return float64(loads/n) / float64(as)
		}
		return float64(loads%most) / float64(n)
	}}
}

// each is stream for n elements.
func each(n int, bytes float64) work { return stream(float64(n)*bytes, 0) }

// steps is the loop of a product of tiles: the one with most products runs n times.
func steps(n float64) func(*loop, []instruction) float64 {
	return func(l *loop, code []instruction) float64 {
		if multiplies(l.own(code)) {
			return n
		}
		return 0
	}
}

var works = map[string]func(launch) work{
	"gemm_nn": gemm, "gemm_nt": gemm, "gemm_tn": gemm, "ard": ard, "invert_join": join,
	"features_forward": features, "features_inputs": features, "features_gradients": features,
	"potrf_panel": panel, "invert_diagonal": diagonal,

	"clear":              func(launch) work { return work{} },
	"widen":              func(l launch) work { return each(l.args[0], 12) },
	"narrow_add":         func(l launch) work { return each(l.args[0], 16) },
	"gather_widen":       func(l launch) work { return each(l.args[0], 12) },
	"gather":             func(l launch) work { return each(l.args[0], 8) },
	"gather_int":         func(l launch) work { return each(l.args[0], 12) },
	"concat":             func(l launch) work { return each(l.args[0], 8) },
	"add_columns":        func(l launch) work { return each(l.args[0], 12) },
	"adam":               func(l launch) work { return each(l.args[0], 32) },
	"draw_gaussian":      func(l launch) work { return each(4*l.args[0], 8) },
	"sample_f":           func(l launch) work { return each(4*l.args[0], 5) },
	"sum_chunks":         func(l launch) work { return stream(float64(l.args[0])*4*float64(l.args[1]+1), l.args[1]) },
	"sample_f_backward":  func(l launch) work { return stream(float64(4*l.args[0])*(4*float64(l.args[1])+24), 4*l.args[1]) },
	"softmax":            func(l launch) work { return each(l.args[0]*l.args[2], 8) },
	"gaussian":           func(l launch) work { return each(l.args[0], 8) },
	"add_noise":          func(l launch) work { return each(l.args[0]*l.args[2], float64(8*l.args[4]+12)) },
	"noise_gradient":     func(l launch) work { return each(l.args[0]*l.args[1], 16) },
	"fold_weights":       func(l launch) work { return stream(float64(l.args[0])*4*float64(3*l.args[2]+4), 3*l.args[2]) },
	"fold_weights_local": func(l launch) work { return stream(float64(l.args[0])*4*float64(2*l.args[3]+6), 2*l.args[3]) },
	"fold_spectra":       func(l launch) work { return stream(float64(l.args[0])*4*float64(2*l.args[1]+4), 2*l.args[1]) },
	"fold":               func(l launch) work { return stream(float64(l.args[0])*8, up(l.args[0], 256)) },
	"fold_rows":          func(l launch) work { return stream(float64(l.args[0])*8*float64(l.args[1]+2), l.args[1]) },
	"fold_columns":       func(l launch) work { return each(l.args[0]*l.args[1], 8) },
	"gaussian_sum":       func(launch) work { return work{} },
	"potrf_ladder":       func(launch) work { return work{} }, // no other rung is needed
	"weight_contrast":    func(l launch) work { return stream(float64(l.args[0]*l.args[1])*12, up(2*l.args[0], 32)) },
	"kl_diag":            func(l launch) work { return stream(float64(l.args[0]*l.grid[0])*24, 2*up(l.args[0], 256*l.grid[1])) },
	"kl_fold":            func(l launch) work { return stream(float64(l.args[0]*l.args[1])*16, up(l.args[0]*l.args[1], 256)) },
	"kl_inducing":        klInducing,
	"ard_norms":          ardNorms,
	"ard_rows":           func(l launch) work { return stream(float64(l.args[0]*l.args[1])*24, 2*up(l.args[1], 32)) },
	"ard_columns":        func(l launch) work { return stream(float64(l.args[0]*l.args[1]*l.grid[1])*8, up(l.args[0], 8)) },
	"ard_lengths":        ardLengths,
	"ard_fold": func(l launch) work {
		return stream(float64(l.args[1]*l.args[0]+l.args[3]*l.args[4])*8, max(2*l.args[0], l.args[4]))
	},
	"moments":           func(l launch) work { return moments(l, 2, 3, up(l.args[0], 8)) },
	"moments_cotangent": func(l launch) work { return stream(float64(l.args[0]*l.args[1])*48, 4*up(l.args[0], 256)) },
	"moments_rows":      func(l launch) work { return moments(l, 3, 4, up(l.args[1], 32)) },
	"moments_input":     func(l launch) work { return each(l.args[0]*l.args[1]*l.grid[2], 16) },
	"whiten_mean": func(l launch) work {
		m := float64(l.args[0])
		return stream(m*m*8*float64(l.grid[1]), up(l.args[0], 32))
	},
}

// klInducing reads m and s of each latent, and adds to their gradients.
func klInducing(l launch) work {
	n := l.args[0]
	if l.args[1] == 1 { // diagonal
		return stream(float64(n*l.grid[1])*48, 2)
	}
	return stream(float64(n*n*l.grid[1])/2*24, up(n, 32)) // 2 loads of half of the columns
}

// moments reads and writes matrices [M,B] of each latent: one is shared where their step is 0.
func moments(l launch, matrices, loads, trips int) work {
	m, b, latents := float64(l.args[0]), float64(l.args[1]), float64(l.grid[1])
	if l.args[2] == 0 { // a shared kernel and a diagonal s
		return stream(8*m*b, loads*trips)
	}
	return stream(8*m*b*latents*float64(matrices), loads*trips)
}

// ardNorms reads rows by 256 numbers, 8 of which are a thread's.
func ardNorms(l launch) work {
	rows, d := l.args[1], l.args[2]
	return work{
		bytes: float64(rows*d+l.grid[1]*(rows+2*d)) * 8,
		trips: func(in *loop, code []instruction) float64 {
			own := in.own(code)
			if count(own, "BAR") > 0 {
				return float64(up(d, 256))
			}
			if n := count(own, "LDG"); n > 0 {
				// an unrolled loop, and one for what is left
				return float64(min(8, up(d, 32))) / float64(n) / 2
			}
			return 0
		},
	}
}

func ardLengths(l launch) work {
	m, b, d, k := float64(l.args[0]), float64(l.args[1]), float64(l.args[2]), float64(l.grid[1])
	w := stream(8*(k*m*d+m*d+b*d), 2*64/8)
	w.double = k * d * (4*m + 2*b)
	return w
}

// panel is columns j0 … j0+63 of L and of L⁻ᵀ, by a block for each 64 rows of a matrix: products of
// 128×64 with the columns before, from `from` on, and an elimination of 64 columns.
func panel(l launch) work {
	m, j0, from := l.args[0], l.args[1], l.args[2]
	n, depth, k := float64(min(64, m-j0)), float64(j0-from), float64(l.grid[1])
	below, before := float64(m-j0)-n, float64(j0)
	blocks, mean := float64(l.blocks()), float64(up(j0-from, 16))
	return work{
		double: k * (n*n*depth + 2*n*depth*below + n*n*n/3 + n*n*below +
			2*n*depth*float64(from) + n*depth*depth + n*n*before + n*n*n/3),
		bytes:  8 * k * ((n+below)*(depth+2*n) + depth*(float64(from)+depth/2) + (2*before+n)*n),
		staged: blocks * mean * 16 * 8 * (128 + 64),
		// One of 8 warps is above the diagonal, and 4 of a block have no products. Half of the
		// warps eliminate, a third of what the loop has; and of the 128 squares that are to the
		// right of 8 times 8 columns, 45 count.
		idle: func(loop []instruction) float64 {
			if count(loop, "SHFL") > 0 {
				return 1 - 0.5/3 - 45./128*2/3
			}
			return (1 + 4/float64(l.grid[0])) / 8
		},
		trips: func(in *loop, code []instruction) float64 {
			switch own := in.own(code); {
			case count(own, "SHFL") > 0:
				return 2 // halves of the columns
			case multiplies(own):
				return mean
			}
			return 0
		},
	}
}

// diagonal is a tile of 64 rows that one block inverts, and copies of it.
func diagonal(l launch) work {
	tiles := float64(l.blocks())
	w := work{double: tiles * 64 * 64 * 64 / 3, bytes: tiles * 64 * 64 * 8 * 2}
	w.trips = func(in *loop, code []instruction) float64 {
		own := in.own(code)
		switch {
		case count(own, "LDG", "STG", "STS") > 0 && len(in.inner) == 0:
			if n := count(own, "LDG", "STG"); n > 1 {
				return 16 / float64(n)
			}
			return 16
		case in.level() > 1: // halves of a product of 32 rows, 16 numbers at a time
			return 1
		}
		return 4
	}
	return w
}
