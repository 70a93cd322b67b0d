package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/hardware"
)

// pairs is the number of turns of both sides in one comparison.
const pairs = 7

// tier is the set of instructions to which both sides are limited.
type tier struct {
	suffix       string // suffix of the names of figures
	ours, theirs []string
}

var tiers = []tier{
	{theirs: []string{"OPENBLAS_NUM_THREADS=1"}},
	{suffix: "_avx2", ours: []string{"GPDRF_SIMD=avx2"},
		theirs: []string{"OPENBLAS_NUM_THREADS=1", "ATEN_CPU_CAPABILITY=avx2",
			"MKL_ENABLE_INSTRUCTIONS=AVX2", "ONEDNN_MAX_CPU_ISA=AVX2", "OPENBLAS_CORETYPE=Haswell"}},
}

// product is a shape of matrix product, [m,k] by [k,n], with T for a factor stored transposed.
type product struct {
	dtype, tA, tB string
	m, n, k       int
}

// products are the products that are compared with OpenBLAS: products of a step, and squares.
var products = []product{
	{"float32", "N", "N", 512, 512, 512}, {"float32", "N", "N", 2000, 500, 50}, {"float32", "N", "N", 1000, 1000, 784},
	{"float32", "N", "N", 2000, 10, 1000}, {"float32", "N", "N", 2000, 50, 1000}, {"float32", "T", "N", 1000, 50, 2000},
	{"float32", "N", "T", 2000, 1000, 50}, {"float32", "N", "T", 200, 10000, 784},
	{"float64", "N", "N", 512, 512, 512}, {"float64", "N", "T", 200, 200, 784}, {"float64", "N", "N", 200, 200, 200},
}

func (p product) name() string {
	return fmt.Sprintf("gemm%s_%s%s_%dx%dx%d", strings.TrimPrefix(p.dtype, "float"), p.tA, p.tB, p.m, p.n, p.k)
}

// request returns the request for products of four thousand million operations in all.
func (p product) request() string {
	reps := max(1, 2_000_000_000/(p.m*p.n*p.k))
	return fmt.Sprintf("gemm %s %s %s %d %d %d %d", p.dtype, p.tA, p.tB, p.m, p.n, p.k, reps)
}

// cpuPeers compares this program with PyTorch, OpenBLAS and math/rand/v2 on the processor. It writes a table of what it
// measures to log and one line of JSON to out: our time over theirs for steps, our speed over theirs for kernels, each
// the median of pairs.
func cpuPeers(python string, out, log io.Writer) error {
	figures := map[string]float64{}
	for _, t := range tiers {
		if err := t.compare(python, figures, log); err != nil {
			return err
		}
	}
	text, err := json.Marshal(figures)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, string(text))
	return nil
}

// compare makes all measurements with one tier.
func (t tier) compare(python string, figures map[string]float64, log io.Writer) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours, err := startPeer("gpdrf-gpu", t.ours, self, "cpu-peer")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	theirs, err := startPeer(python, t.theirs, python, "bench/peers/serve.py")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.stop()) }()
	versions, err := theirs.ask("versions")
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "%s; %s, %d threads; %s; %s %s\n", time.Now().UTC().Format(time.DateOnly),
		hardware.Processor(), runtime.GOMAXPROCS(0), versions, runtime.Version(), strings.Join(t.ours, " "))
	c := comparison{ours: ours, theirs: theirs, log: log}
	for _, preset := range []string{"mnist-small", "protein"} {
		shape := strings.TrimSuffix(preset, "-small") // the shape in the names of figures
		for _, style := range []string{"lean", "plain"} {
			for _, threads := range []int{1, 2} {
				name := fmt.Sprintf("%s_%s%s", shape, style, t.suffix)
				if threads == 2 {
					if t.suffix != "" {
						continue
					}
					name += "_2threads"
				}
				figures[name] = c.slower(name, fmt.Sprintf("step %s %d", preset, threads),
					fmt.Sprintf("step %s %s mixed %d", preset, style, threads), threads)
			}
		}
		if t.suffix == "" {
			name := shape + "_lean_float32"
			figures[name] = c.slower(name, fmt.Sprintf("step %s 1", preset),
				fmt.Sprintf("step %s lean single 1", preset), 1)
			name = shape + "_2threads_speedup"
			twice := comparison{ours: ours, theirs: ours, log: log}
			figures[name] = 1 / twice.slower(name, fmt.Sprintf("step %s 2", preset),
				fmt.Sprintf("step %s 1", preset), 2)
			c.err = errors.Join(c.err, twice.err)
		}
	}
	for _, p := range products {
		name := p.name() + t.suffix
		figures[name] = 1 / c.slower(name, p.request(), p.request(), 1)
	}
	for _, request := range []string{"sincos 65536 4000", "sincos 4096 64000"} {
		name := strings.ReplaceAll(request[:strings.LastIndex(request, " ")], " ", "_") + t.suffix
		figures[name] = 1 / c.slower(name, request, request, 1)
	}
	rand := comparison{ours: ours, theirs: ours, log: log}
	figures["normals"+t.suffix] = 1 / rand.slower("normals"+t.suffix, "normals 65536 600", "randv2 65536 600", 1)
	return errors.Join(c.err, rand.err)
}

// comparison compares two peers that take turns. Its first error stops it.
type comparison struct {
	ours, theirs *peer
	log          io.Writer
	err          error
}

// slower returns our time over theirs, the median of pairs. It measures processor time on one thread, which a busy
// machine disturbs least, and the wall clock on two threads.
func (c *comparison) slower(name, our, their string, threads int) float64 {
	var ratios, a, b []float64
	for range pairs {
		x, y := c.pair(our, their)
		if c.err != nil {
			return 0
		}
		u, v := x.processor, y.processor
		if threads > 1 {
			u, v = x.wall, y.wall
		}
		a, b, ratios = append(a, u), append(b, v), append(ratios, u/v)
	}
	m := median(ratios)
	fmt.Fprintf(c.log, "%-32s ours %9.3f ms, theirs %9.3f ms, ratio %.3f (%.3f to %.3f)\n", name,
		median(a), median(b), m, slices.Min(ratios), slices.Max(ratios))
	return m
}

func (c *comparison) pair(our, their string) (x, y cost) {
	if c.err == nil {
		x, c.err = c.ours.time(our)
	}
	if c.err == nil {
		y, c.err = c.theirs.time(their)
	}
	return x, y
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
