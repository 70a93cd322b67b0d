package main

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sample is a kernel as nvdisasm prints it: a loop, of which a forward branch skips an instruction.
const sample = `
.text.sum_f64:
        /*0000*/                   MOV R1, c[0x0][0x28] ;                      /* 0x00000a0000017a02 */
                                                                               /* 0x003fde0000000f00 */
.L_x_1:
        /*0010*/                   LDG.E.64 R2, desc[UR4][R2.64] ;             /* 0x0000000402027981 */
                                                                               /* 0x000ea4000c1e1b00 */
        /*0020*/                   BRA ` + "`(.L_x_2)" + ` ;                             /* 0x0000001000007947 */
                                                                               /* 0x000fea0003800000 */
        /*0030*/                   MUFU.RSQ R4, R4 ;                           /* 0x0000000400047308 */
                                                                               /* 0x000e240000001400 */
.L_x_2:
        /*0040*/                   DFMA R4, R2, R2, R4 ;                       /* 0x000000020204722b */
                                                                               /* 0x004fcc0000000004 */
        /*0050*/              @!P0 BRA ` + "`(.L_x_1)" + ` ;                             /* 0xfffffffc00008947 */
                                                                               /* 0x000fea000383ffff */
.L_x_3:
        /*0060*/                   BRA ` + "`(.L_x_3)" + `;                              /* 0xfffffffc00fc7947 */
                                                                               /* 0x000fc0000383ffff */
`

func TestSASS(t *testing.T) {
	all, err := parseSASS(sample)
	if err != nil {
		t.Fatal(err)
	}
	code := all["sum_f64"]
	if len(code) != 7 || code[1].full != "LDG.E.64" || code[2].target != 4 ||
		!code[2].always || code[5].target != 1 || code[5].always {
		t.Fatalf("%+v", code)
	}
	// The read sets scoreboard 2, for which the product waits.
	if read, use := code[1], code[4]; read.stall != 2 ||
		read.write != 2 || read.read != -1 || use.wait != 1<<2 || use.stall != 6 {
		t.Errorf("%+v, %+v", read, use)
	}
	whole := loops(code)
	if len(whole.inner) != 1 || whole.inner[0].first != 1 || whole.inner[0].last != 5 || whole.inner[0].level() != 1 {
		t.Fatalf("%+v", whole)
	}
	if own := whole.inner[0].own(code); len(own) != 4 || count(own, "MUFU") != 0 {
		t.Errorf("the loop has %+v", own)
	}
	if own := whole.own(code); len(own) != 3 || own[1].inner != whole.inner[0] {
		t.Errorf("around the loop are %+v", own)
	}
	// 2 cycles, then 498 for the rest of the read; 6 and the branch.
	if path := cards[2].path(whole.inner[0].own(code)); path < 505 || path > 520 {
		t.Errorf("a warp takes %g cycles", path)
	}
	// With a condition, it is not taken.
	code[2].always, code[3].dead = false, false
	if own := whole.inner[0].own(code); len(own) != 5 || count(own, "MUFU") != 1 {
		t.Errorf("the loop has %+v", own)
	}
	all, err = parseSASS(strings.Replace(sample, "@!P0 BRA `(.L_x_1)", "BRA.U UP0, `(.L_x_1)", 1))
	if code := all["sum_f64"]; err != nil || code[5].target != 1 || code[5].always || code[6].dead {
		t.Errorf("a branch with a uniform condition: %+v, %v", code, err)
	}
	if _, err := parseSASS(strings.ReplaceAll(sample, ".L_x_2:", "")); err == nil {
		t.Error("a branch to nowhere is accepted")
	}
}

// Of two ways it is the longer one, and what follows BRA.DIV alone never runs.
func TestWays(t *testing.T) {
	branch := func(op string, target int, always bool) instruction {
		return instruction{op: "BRA", full: op, target: target, always: always}
	}
	plain := func(op string) instruction { return instruction{op: op, full: op, target: -1} }
	code := []instruction{
		branch("BRA.DIV", 8, true),
		branch("BRA", 4, false), plain("STS"), branch("BRA", 7, true), // or else
		plain("DFMA"), plain("DFMA"), plain("DFMA"),
		{op: "EXIT", full: "EXIT", target: -1, always: true},
		plain("SHFL"), branch("BRA", 1, true), // back from BRA.DIV
	}
	findDead(code)
	whole := loops(code)
	own := whole.own(code)
	if len(whole.inner) > 0 || count(own, "DFMA") != 3 || count(own, "STS", "SHFL") > 0 || count(own, "EXIT") != 1 {
		t.Errorf("%+v of a kernel with %d loops", own, len(whole.inner))
	}
	// Of two steps of a product it is the one with more products, of which some are left.
	product := plain("DMMA")
	code = []instruction{branch("BRA", 6, false), product, product, product, product, branch("BRA", 10, true),
		product, plain("BRA"), plain("BRA"), plain("BRA"), {op: "EXIT", full: "EXIT", target: -1, always: true}}
	findDead(code)
	if own = loops(code).own(code); count(own, "DMMA") != 4 || count(someProducts(own, 1), "DMMA") != 1 {
		t.Errorf("%+v of two steps of a product", own)
	}
}

// Floors by hand, as docs/kernels.md has them: Kuf, and P = G X, of MNIST, and a layer.
func TestWork(t *testing.T) {
	for line, want := range map[string]work{
		"ard_f64 16 4 50 0 200 1000 784 1200 0 * * * * *": {
			double: 50 * 200 * 1000 * (2*784 + 2),
			bytes:  8 * (50*200*1000 + 1200*784 + 50*784),
		},
		"gemm_nn_f64 13 4 50 0 0 200 784 1000 1 . . * 1000 200000 0 * 784 0 0 * 784 156800 - .": {
			double: 50 * 2 * 200 * 784 * 1000,
			bytes:  8 * (50*200*1000 + 1000*784 + 50*200*784),
		},
		"gemm_nt_f64 4 4 50 0 4 200 200 1000 1 . . * 1000 200000 0 * 1000 200000 0 * 200 40000 - .": {
			double: 50 * 200 * 200 * 1000,
			bytes:  8 * (2*50*200*1000 + 50*200*200/2),
		},
		"features_forward_f32 160 2 1 47872 1000 50 500 50 10 10 0 * * * * - 256 * -": {
			real: 10 * 1000 * 500 * (2*50 + 4*50 + 2),
		},
		"features_gradients_f32 8 6 10 47872 1000 50 500 50 10 10 0 * * * * - 192 * - * * -": {
			real: 10 * 1000 * 500 * (4*50 + 8*50 + 2),
		},
		"features_inputs_f32 4 4 1 47872 256 12 200 8 1 1 0 * * * * * 64 * * *": {
			real: 256 * 200 * (4*12 + 4*8 + 2*8 + 2),
		},
		"adam_f32 9478 1 1 0 2426152 * * * * * . . . . . . . . .":      {bytes: 2426152 * 32},
		"fold_spectra_f32 99 1 1 0 25000 60 6 10 500 40 * * - * * * *": {bytes: 25000 * 4 * 124},
		"invert_join_f64 1 1 100 0 0 200 64 2 * * *": {
			double: 100 * 64 * 64 * 64,
			bytes:  100 * 8 * 2.5 * 64 * 64,
		},
	} {
		all, err := parseLaunches(line + "\n")
		if err != nil {
			t.Fatal(err)
		}
		got, known := workOf(all[0])
		if !known || got.double != want.double || got.real != want.real || want.bytes > 0 && got.bytes != want.bytes {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
	if _, known := workOf(launch{name: "unheard_of_f32"}); known {
		t.Error("the work of any kernel is known")
	}
	if _, err := parseLaunches("ard_f64 16 4 50 0 x\n"); err == nil {
		t.Error("a line with a word for an argument is accepted")
	}
}

// Blocks that skip zeros, and warps without elements: of 4×4 tiles of a lower triangle each has 4,
// 8, 12 or 13 steps of 16, and half of the warps of the last row. Zeros are not read.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ got, want tiling }{
		{product(64, lowerA, 200, 256, 200, false, false),
			tiling{blocks: 16, steps: 37. / 4, staged: 8 * (4*200*201/2 + 256*(64+128+192+200)), idle: 6.5 / 37}},
		{product(64, lowerC, 200, 200, 40, false, true),
			tiling{blocks: 10, steps: 3, staged: 8 * 40 * (6*128 + 3*72 + 16), idle: 12. / 40}},
		// 9 columns take two squares of the four of a warp, and no second warp.
		{product(64, 0, 500, 9, 500, false, false),
			tiling{blocks: 8, steps: 32, staged: 8 * (500*500 + 8*9*500), idle: 0.5, squares: 2}},
		// Two rows of tall tiles, 2 and 4, of eight warps: of their squares 7·8/2 count.
		{product(128, lowerC, 200, 200, 40, false, true),
			tiling{blocks: 6, steps: 3, staged: 8 * 40 * (2*192 + 3*136 + 80), idle: 1 - 28./48}},
	} {
		if math.Abs(c.got.idle-c.want.idle) > 1e-12 {
			t.Errorf("%g of the warps are idle, want %g", c.got.idle, c.want.idle)
		}
		c.got.idle = c.want.idle
		if c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

// The panels of a matrix make L and L⁻¹, M³/3 FLOP each.
func TestPanels(t *testing.T) {
	const m, k = 200, 3
	done := 0.0
	for j := 0; j < m; j += 64 {
		done += panel(launch{grid: [3]int{4, k, 1}, args: []int{m, j, 0}}).double
	}
	if want := 2 * k * m * m * m / 3.; math.Abs(done/want-1) > 1e-12 {
		t.Errorf("%g FLOP, want %g", done, want)
	}
}

func TestResident(t *testing.T) {
	h200 := cards[2]
	for _, c := range []struct {
		resources
		dynamic, want int
	}{
		{resources{threads: 128, registers: 168, shared: 17408}, 0, 3}, // 65536 registers
		{resources{threads: 256, registers: 80}, 47872, 3},             // registers again
		{resources{threads: 256, registers: 32}, 100 << 10, 2},         // shared memory
		{resources{threads: 1024, registers: 32}, 0, 2},                // threads
		{resources{threads: 32, registers: 16}, 0, 32},                 // blocks
	} {
		if got := h200.resident(c.resources, c.dynamic); got != c.want {
			t.Errorf("%+v with %d bytes: %d blocks, want %d", c.resources, c.dynamic, got, c.want)
		}
	}
}

// Two blocks of a layer's kernels share a multiprocessor, also where it has 100 KiB of shared
// memory. The PTX bounds the registers, and a launch says what it asks for.
func TestTwoBlocks(t *testing.T) {
	bounds := regexp.MustCompile(`(?s)\.entry (features_\w+)\([^{]*?\.maxntid (\d+)[^{]*?\.minnctapersm (\d+)`)
	for _, image := range []string{"70", "80"} {
		ptx, err := os.ReadFile("../kernels_sm" + image + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		bounded := map[string]resources{}
		for _, m := range bounds.FindAllStringSubmatch(string(ptx), -1) {
			threads, _ := strconv.Atoi(m[2])
			blocks, _ := strconv.Atoi(m[3])
			bounded[m[1]] = resources{threads: threads, registers: 65536 / (threads * blocks)}
		}
		for _, name := range workloads {
			text, err := os.ReadFile("launches/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			all, err := parseLaunches(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range all {
				for _, c := range cards {
					if !strings.HasPrefix(l.name, "features_") {
						continue
					}
					if r := bounded[l.name]; r.threads == 0 || c.resident(r, l.shared) < 2 {
						t.Errorf("sm_%s, %s, %s: %+v with %d bytes has not two blocks", image, c.name, l.name, r, l.shared)
					}
				}
			}
		}
	}
}

// Shared memory takes a cycle for each number of a lane, and half of it for pairs of lanes.
func TestSharedReads(t *testing.T) {
	for full, want := range map[string][2]float64{"LDS": {1, 1}, "LDS.64": {2, 2}, "LDS.128": {4, 2}, "STS.128": {4, 4}} {
		op, _, _ := strings.Cut(full, ".")
		for i, paired := range []bool{false, op == "LDS"} {
			if _, cycles := cards[0].unitOf(instruction{op: op, full: full, paired: paired}); cycles != want[i] {
				t.Errorf("%s, paired %v: %g cycles, not %g", full, paired, cycles, want[i])
			}
		}
	}
}

// A read that is begun before a loop is on its way while the loop runs.
func TestReadAhead(t *testing.T) {
	for cycles, want := range map[float64]float64{100: 501, 600: 602} {
		code := []instruction{
			{op: "LDG", stall: 1, write: 0, read: -1},
			{inner: &loop{}, cycles: cycles},
			{op: "FADD", stall: 1, write: -1, read: -1, wait: 1},
		}
		if path := cards[0].path(code); path != want {
			t.Errorf("with a loop of %g cycles: %g, not %g", cycles, path, want)
		}
	}
}

// Loops of all ways through the code stand for themselves, wherever a branch goes.
func TestLoopsOfAllWays(t *testing.T) {
	branch := func(target int, always bool) instruction {
		return instruction{op: "BRA", full: "BRA", target: target, always: always}
	}
	loop := func(op string, n, at int) (code []instruction) {
		for range n {
			code = append(code, instruction{op: op, full: op, target: -1})
		}
		return append(code, branch(at, false))
	}
	// if … loop of FADD else if … loop of FMUL else loop of FFMA, all in a loop
	code := []instruction{branch(5, false)}
	code = append(code, loop("FADD", 2, 1)...)
	code = append(code, branch(15, true), branch(10, false))
	code = append(code, loop("FMUL", 2, 6)...)
	code = append(code, branch(15, true))
	code = append(code, loop("FFMA", 4, 10)...)
	code = append(code, branch(0, false))
	whole := loops(code)
	var found []string
	for _, i := range whole.inner[0].own(code) {
		if i.inner != nil {
			found = append(found, code[i.inner.first].op)
		}
	}
	if !slices.Equal(found, []string{"FADD", "FMUL", "FFMA"}) {
		t.Errorf("the loops are of %v", found)
	}
}

// What a loop writes at its end counts once in so many times, and what is there before is not read.
func TestResults(t *testing.T) {
	code := []instruction{{op: "BRA", target: 34}, {op: "BRA", target: 18}}
	for _, op := range []string{"LDG", "STG"} {
		for range 16 {
			code = append(code, instruction{op: op, full: op})
		}
	}
	code = append(code, instruction{op: "BRA", target: 0})
	for at := range code {
		i := &code[at]
		if i.op != "BRA" {
			i.target = -1
		}
		i.stall, i.write, i.read = 1, -1, -1
	}
	code[0].stores = true
	trips := func(*loop, []instruction) float64 { return 4 }
	_, busy := cards[0].spend(code, loops(code), work{trips: trips, pieces: 4})
	if busy[lsuUnit] != 16 {
		t.Errorf("16 numbers are written in %g cycles", busy[lsuUnit])
	}
}

// A loop that is unrolled by four has the loads but the last, and another loop has these.
func TestStream(t *testing.T) {
	load, other := instruction{op: "LDG"}, instruction{op: "FADD"}
	code := []instruction{load, load, load, load, other, load}
	around := &loop{last: 5}
	around.inner = []*loop{{first: 0, last: 3, around: around}, {first: 4, last: 4, around: around}, {first: 5, last: 5, around: around}}
	for i, want := range []float64{5, 0, 2} {
		if got := stream(0, 22).trips(around.inner[i], code); got != want {
			t.Errorf("loop %d runs %g times, not %g", i, got, want)
		}
	}
}

// A card's clock follows from its data sheet, and products on tensor cores reach its peak.
func TestCards(t *testing.T) {
	for _, c := range cards {
		if ghz := c.clock() / 1e9; ghz < 1.3 || ghz > 2.7 {
			t.Errorf("%s: a clock of %.2f GHz", c.name, ghz)
		}
		if c.dmma > 0 {
			if peak := 2 * c.dmma * float64(c.multiprocessors) * c.clock() / 1e12; math.Abs(peak/c.peak().DMMA-1) > 0.02 {
				t.Errorf("%s: %.1f TFLOP/s on tensor cores, the data sheet says %g", c.name, peak, c.peak().DMMA)
			}
		}
	}
}

var (
	cardPattern = regexp.MustCompile(`^## (.+), sm_\d+$`)
	stepPattern = regexp.MustCompile(`^(\w+): all kernels have a floor`)
	rowPattern  = regexp.MustCompile("^\\| `(\\w+)` \\| \\d+ \\| [0-9.]+ \\| [0-9.]+ \\| ([0-9.]+) \\|")
)

// wanted is the ratio that every kernel should have. Those above it may not get worse: docs says
// why they are there.
const wanted = 1.6

var above = map[string]map[string]float64{
	"mnist":   {"features_gradients_f32": 2.4, "gemm_nt_f64": 2.1, "gemm_tn_f64": 1.7, "potrf_panel_f64": 10},
	"protein": {"ard_f64": 5.2, "gemm_nt_f64": 1.8, "potrf_panel_f64": 9},
	"powerplant": {"ard_f64": 36, "ard_fold_f64": 8, "features_gradients_f32": 11, "gemm_nn_f64": 27, "gemm_nt_f64": 36, "gemm_tn_f64": 25,
		"potrf_panel_f64": 172},
}

// The page is of these kernels, and their ratios are within what is known of each.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/kernels-model.md")
	if err != nil {
		t.Fatal(err)
	}
	hash, err := sourceHash("../kernels_sm80.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), hash) {
		t.Error("docs/kernels-model.md is not of these kernels: make kernels-model")
	}
	name, step, rows := "", "", 0
	tables, _, _ := strings.Cut(string(page), "## The inner loops")
	for line := range strings.Lines(tables) {
		line = strings.TrimSpace(line)
		if m := cardPattern.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if m := stepPattern.FindStringSubmatch(line); m != nil {
			step = m[1]
		} else if m := rowPattern.FindStringSubmatch(line); m != nil {
			rows++
			ratio, err := strconv.ParseFloat(m[2], 64)
			most := above[step][m[1]]
			if most == 0 {
				most = wanted
			}
			if err != nil || !(ratio >= 1 && ratio <= most) {
				t.Errorf("%s, %s: %s is %s times its floor, and may be from 1 to %g times", name, step, m[1], m[2], most)
			}
		}
	}
	if want := len(cards) * len(workloads) * shown; rows != want {
		t.Errorf("the page has %d rows, not %d", rows, want)
	}
}
