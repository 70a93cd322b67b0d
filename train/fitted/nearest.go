package fitted

import (
	"cmp"
	"slices"
)

// pointTree finds the nearest of K points of D numbers. It is a k-d tree: each node has at most leafPoints points, or
// halves them at the median of the axis along which they are spread most. Points of many numbers are compared one by
// one.
type pointTree struct {
	low, high []float64 // corners of the least box around the points [D]
	points    [][]float64
	halves    [2]*pointTree // nil in a leaf
}

const (
	leafPoints = 8  // largest number of points in a leaf, which are compared one by one
	maxAxes    = 10 // largest D of a tree: boxes of more numbers exclude few points
)

// newPointTree builds the tree of points [K,D].
func newPointTree(x []float64, width int) *pointTree {
	return newPointNode(slices.Collect(slices.Chunk(x, width)))
}

// newPointNode builds a node with all nodes below it. It sorts the points.
func newPointNode(points [][]float64) *pointTree {
	n := &pointTree{low: slices.Clone(points[0]), high: slices.Clone(points[0]), points: points}
	for _, p := range points {
		for j, v := range p {
			n.low[j], n.high[j] = min(n.low[j], v), max(n.high[j], v)
		}
	}
	if len(points) <= leafPoints || len(n.low) > maxAxes {
		return n
	}
	axis := 0
	for j := range n.low {
		if n.high[j]-n.low[j] > n.high[axis]-n.low[axis] {
			axis = j
		}
	}
	slices.SortFunc(points, func(a, b []float64) int { return cmp.Compare(a[axis], b[axis]) })
	half := len(points) / 2
	n.halves = [2]*pointTree{newPointNode(points[:half]), newPointNode(points[half:])}
	return n
}

// nearest returns the smallest of the squared distance least and of those from x to the points. It has the bits of a
// comparison with all points: the box of a point is never farther than the point, also with rounded sums.
func (n *pointTree) nearest(x []float64, least float64) float64 {
	if n.halves[0] == nil {
		for _, p := range n.points {
			least = min(least, squaredDistance(x, p, least))
		}
		return least
	}
	first, second := n.halves[0], n.halves[1]
	near, far := first.distance(x), second.distance(x)
	if far < near {
		first, second, near, far = second, first, far, near
	}
	if near < least {
		least = first.nearest(x, least)
	}
	if far < least {
		least = second.nearest(x, least)
	}
	return least
}

// distance returns the squared distance from x to the box.
func (n *pointTree) distance(x []float64) (sum float64) {
	low, high := n.low[:len(x)], n.high[:len(x)]
	for j, v := range x {
		d := max(low[j]-v, v-high[j], 0)
		sum += d * d
	}
	return sum
}
