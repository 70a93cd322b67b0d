package workload

import "slices"

// Sweep varies one size of a shape at a time: S is 1, 10 and 100, B and R a quarter, once and four
// times as many, M half and twice. The step with the least arithmetic comes first.
func (n Size) Sweep() ([]Size, error) {
	vary := func(set func(*Size)) Size {
		v := n
		set(&v)
		return v
	}
	part := func(size int, factor float64) int { return max(1, int(float64(size)*factor)) }
	all := []Size{n}
	for _, s := range []int{1, 10, 100} {
		all = append(all, vary(func(v *Size) { v.S = s }))
	}
	for _, factor := range []float64{0.25, 4} {
		all = append(all, vary(func(v *Size) { v.B = part(n.B, factor) }),
			vary(func(v *Size) { v.R = part(n.R, factor) }))
	}
	for _, factor := range []float64{0.5, 2} {
		all = append(all, vary(func(v *Size) { v.M = part(n.M, factor) }))
	}
	flops := map[Size]float64{}
	for _, v := range all {
		c, err := v.Cost("")
		if err != nil {
			return nil, err
		}
		flops[v] = c.FLOPs()
	}
	slices.SortStableFunc(all, func(a, b Size) int {
		if flops[a] < flops[b] {
			return -1
		} else if flops[a] > flops[b] {
			return 1
		}
		return 0
	})
	return slices.Compact(all), nil
}
