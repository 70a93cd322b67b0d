// Package disttest has the test that every dist.Comm must pass.
package disttest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Check makes all calls of a Comm on one rank, while the other ranks do the same. It compares the results with those
// that a rank can compute alone. Then it leaves the job.
func Check(c dist.Comm) error {
	for _, check := range []struct {
		what string
		on   func(dist.Comm) error
	}{
		{"rank and size", places}, {"sums", sums}, {"sums are the same bits", sameBits},
		{"broadcast", broadcasts}, {"tree", trees}, {"agreement", agreement},
	} {
		if err := check.on(c); err != nil {
			return fmt.Errorf("rank %d of %d, %s: %s: %w", c.Rank(), c.Size(), c, check.what, err)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
	}
	return c.Close()
}

// places checks that each rank is there once.
func places(c dist.Comm) error {
	if c.Rank() < 0 || c.Rank() >= c.Size() || c.String() == "" {
		return fmt.Errorf("rank %d, %q", c.Rank(), c.String())
	}
	count := make([]float64, c.Size())
	count[c.Rank()] = 1
	if err := c.AllReduce(count); err != nil {
		return err
	}
	if slices.Max(count) != 1 || slices.Min(count) != 1 {
		return fmt.Errorf("the ranks are %v", count)
	}
	return nil
}

// value returns number i of the vector of a rank.
func value(rank, i int) float64 { return float64((rank+1)*(i%1000+1)) + 1/float64(i+rank+1) }

func sums(c dist.Comm) error {
	for _, n := range []int{0, 1, 1000, 70_001} {
		x := make([]float64, n)
		for i := range x {
			x[i] = value(c.Rank(), i)
		}
		if err := c.AllReduce(x); err != nil {
			return err
		}
		for i, got := range x {
			want := 0.0
			for r := range c.Size() {
				want += value(r, i)
			}
			if math.Abs(got-want) > 1e-14*want {
				return fmt.Errorf("number %d of %d is %v, expected %v", i, n, got, want)
			}
		}
	}
	// NaN reaches all ranks.
	x := []float64{0}
	if c.Rank() == c.Size()-1 {
		x[0] = math.NaN()
	}
	if err := c.AllReduce(x); err != nil {
		return err
	}
	if !math.IsNaN(x[0]) {
		return fmt.Errorf("a sum with NaN is %v", x[0])
	}
	return nil
}

// numbers returns numbers of very different sizes, so that the bits of a sum depend on its order.
func numbers(seed, n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(seed), 5))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64() * math.Exp(4*r.NormFloat64())
	}
	return x
}

func sameBits(c dist.Comm) error {
	x := numbers(c.Rank(), 10_001)
	if err := c.AllReduce(x); err != nil {
		return err
	}
	return same(c, x)
}

// same returns an error if a rank has other bits than rank 0.
func same(c dist.Comm, x []float64) error {
	mine := bitsOf(x)
	first := slices.Clone(mine)
	if err := c.Broadcast(first, 0); err != nil {
		return err
	}
	differs := []float64{0}
	if !bytes.Equal(first, mine) {
		differs[0] = 1
	}
	if err := c.AllReduce(differs); err != nil {
		return err
	}
	if differs[0] > 0 {
		return fmt.Errorf("%v ranks have other bits than rank 0", differs[0])
	}
	return nil
}

func bitsOf(x []float64) (b []byte) {
	for _, v := range x {
		b = fmt.Appendf(b, "%016x", math.Float64bits(v))
	}
	return b
}

func broadcasts(c dist.Comm) error {
	for root := range c.Size() {
		for _, n := range []int{0, 1, 100_003} {
			want := bytes.Repeat([]byte{byte(root + 1)}, n)
			b := make([]byte, n)
			if c.Rank() == root {
				copy(b, want)
			}
			if err := c.Broadcast(b, root); err != nil {
				return err
			}
			if !bytes.Equal(b, want) {
				return fmt.Errorf("%d bytes of rank %d came as others", n, root)
			}
		}
	}
	return nil
}

// trees checks that the sum of 8 parts has the bits of one process, twice.
func trees(c dist.Comm) error {
	if dist.Shards%c.Size() != 0 {
		return nil
	}
	const n = 1001
	tree, alone := dist.NewTree(c, n), dist.NewTree(dist.Alone(), n)
	for round := range 2 {
		lo, hi := dist.Share(dist.Shards, c.Rank(), c.Size())
		for p := range dist.Shards {
			part := numbers(10*round+p, n)
			alone.Add(part)
			if p >= lo && p < hi {
				tree.Add(part)
			}
		}
		got, want := make([]float64, n), make([]float64, n)
		if err := errors.Join(tree.Sum(got), alone.Sum(want)); err != nil {
			return err
		}
		if !bytes.Equal(bitsOf(got), bitsOf(want)) {
			return fmt.Errorf("round %d has other bits than one process", round)
		}
	}
	return nil
}

// agreement checks that all ranks get the same error if properties differ on one rank, or if one rank has an error.
func agreement(c dist.Comm) error {
	last := c.Rank() == c.Size()-1
	properties := []dist.Property{{Name: "version", Value: "1"}, {Name: "data", Value: "a"}}
	if err := dist.Agree(dist.ExchangeOf(c), properties, "", 0); err != nil {
		return err
	}
	if c.Size() == 1 {
		return nil
	}
	if last {
		properties[1].Value = "b"
	}
	var found *dist.RankError
	err := dist.Agree(dist.ExchangeOf(c), properties, "", 0)
	if !errors.As(err, &found) || found.Rank != c.Size()-1 || found.Code != 2 {
		return fmt.Errorf("other data: %v", err)
	}
	text, code := "", 0
	if last {
		text, code = "the disk is full", 1
	}
	err = dist.Agree(dist.ExchangeOf(c), properties, text, code)
	if !errors.As(err, &found) || found.Rank != c.Size()-1 || found.Code != 1 || found.Text != "the disk is full" {
		return fmt.Errorf("an error of one rank: %v", err)
	}
	err = dist.Agree(dist.ExchangeOf(c), properties, "no such file", 2)
	if err == nil || err.Error() != "no such file" {
		return fmt.Errorf("an error of all ranks: %v", err)
	}
	return nil
}
