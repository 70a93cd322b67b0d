package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// code is a kernel as the assembler made it for a card.
type code struct {
	resources
	sass []instruction
}

// figure describes the launches of one kernel in a step, by the model.
type figure struct {
	kernel           string
	launches         int
	floor, bound     float64 // µs, of all
	unit             string  // what the bound comes from, where it takes longest
	heaviest         float64 // µs of the launch with the largest bound
	inner            map[unit]float64
	loopSize         int
	resources        resources
	resident, shared int
}

// ratio is how far the code is from its floor.
func (f figure) ratio() float64 { return f.bound / f.floor }

// launchTime is what a launch takes at least inside a graph, µs.
const launchTime = 1.0

// figures are the kernels of a step, the heaviest first.
func (c card) figures(kernels map[string]code, launches []launch) (all []figure, err error) {
	byName := map[string]*figure{}
	for _, l := range launches {
		k, compiled := kernels[l.name]
		l.threads = k.threads
		w, known := workOf(l)
		if !known || !compiled && l.name != "clear" {
			return nil, &unknownError{l.name}
		}
		f := byName[l.name]
		if f == nil {
			f = &figure{kernel: l.name, resources: k.resources}
			byName[l.name] = f
		}
		floor, _ := c.peak().Floor(w.cost(), "f32")
		bound, unit := c.bound(k, l, w)
		if bound < 1e6*floor.Seconds() {
			return nil, fmt.Errorf("%s of %s: a bound of %.1f µs is below the floor: the model misses a part of its code", l.name, c.name, bound)
		}
		f.launches++
		f.floor += max(launchTime, 1e6*floor.Seconds())
		f.bound += bound
		if bound > f.heaviest {
			f.heaviest, f.unit = bound, unit
			f.resident, f.shared = c.resident(k.resources, l.shared), l.shared
			f.inner, f.loopSize = c.innermost(k, w)
		}
	}
	for _, f := range byName {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b figure) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.kernel, b.kernel))
	})
	return all, nil
}

// bound is the least time of a launch by its code, µs, and what it comes from: memory; the second
// level of cache; a unit of the multiprocessor that has most blocks; or the latency of the blocks
// that follow each other there.
func (c card) bound(k code, l launch, w work) (us float64, of string) {
	cycle := 1e6 / c.clock()
	us, of = launchTime, "launch"
	longer := func(t float64, name string) {
		if t > us {
			us, of = t, name
		}
	}
	longer(w.bytes/(c.peak().GBs*1e3), "memory")
	longer(w.staged/(c.l2*1e6), "L2")
	if len(k.sass) == 0 {
		return us, of
	}
	path, busy := c.spend(k.sass, loops(k.sass), w)
	warps := float64(up(k.threads, 32))
	blocks := l.blocks()
	if w.blocks > 0 {
		blocks = int(w.blocks)
	}
	most := up(blocks, c.multiprocessors)
	for _, u := range slices.Sorted(maps.Keys(busy)) {
		longer(float64(most)*warps*busy[u]*cycle, string(u))
	}
	waves := up(most, c.resident(k.resources, l.shared))
	longer(float64(waves)*path*cycle, "latency")
	return us, of
}

// spend is the path of a warp through a loop, once, and what it keeps busy.
func (c card) spend(sass []instruction, l *loop, w work) (path float64, busy map[unit]float64) {
	own := l.own(sass)
	if w.squares > 0 && multiplies(own) {
		own = someProducts(own, w.squares)
	}
	busy = c.busy(own)
	if w.idle != nil && multiplies(own) {
		idle := w.idle(own)
		for u, cycles := range c.busy(products(own)) {
			busy[u] -= idle * cycles
		}
	}
	for at := range own {
		trips, p, b := 0.0, 0.0, map[unit]float64(nil)
		if in := own[at].inner; in != nil && w.trips != nil {
			if trips = w.trips(in, sass); trips > 0 {
				p, b = c.spend(sass, in, w)
			}
		} else if code := own[at].results; code != nil {
			trips, p, b = 1/max(w.pieces, 1), c.path(code), c.busy(code)
		}
		own[at].cycles = trips * p
		for u, cycles := range b {
			busy[u] += trips * cycles
		}
	}
	path = c.path(own)
	if l.around != nil { // after the first time, what the time before has begun is waited for
		path = c.path(slices.Concat(own, own)) - path
	}
	return path, busy
}

// innermost is what a warp keeps busy in the loop that has most of its time, and the loop's
// instructions.
func (c card) innermost(k code, w work) (busy map[unit]float64, size int) {
	if w.trips == nil || len(k.sass) == 0 {
		return nil, 0
	}
	most := 0.0
	var visit func(l *loop, times float64)
	visit = func(l *loop, times float64) {
		own := l.own(k.sass)
		if t := times * c.busy(own)[noUnit]; l.around != nil && t > most {
			most, busy, size = t, c.busy(own), int(4*c.busy(own)[noUnit])
		}
		for _, in := range l.inner {
			if trips := w.trips(in, k.sass); trips > 0 {
				visit(in, times*trips)
			}
		}
	}
	visit(loops(k.sass), 1)
	return busy, size
}
