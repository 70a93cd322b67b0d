package main

// path is for how many cycles a warp that is alone is at some instructions, in their order, all
// branches untaken. An instruction waits for the stalls that the assembler has put before it, for
// its unit, and for the scoreboards of results whose time the assembler cannot know. What is on its
// way while a loop inside runs is not waited for.
func (c card) path(code []instruction) float64 {
	now, boards, free := 0.0, [8]float64{}, map[unit]float64{}
	for _, i := range code {
		if i.stands() {
			now += i.cycles
			continue
		}
		for b := range 6 {
			if i.wait>>b&1 == 1 {
				now = max(now, boards[b])
			}
		}
		u, cycles := c.unitOf(i)
		now = max(now, free[u])
		// A quarter of a multiprocessor has a quarter of each unit, but reads and writes memory for
		// all.
		if u != lsuUnit {
			cycles *= 4
		}
		free[u] = now + cycles
		if i.write >= 0 {
			boards[i.write] = max(boards[i.write], now+float64(c.latency(i)))
		}
		if i.read >= 0 {
			boards[i.read] = max(boards[i.read], now+10)
		}
		now += float64(max(i.stall, 1))
	}
	return now
}

// busy is for how many cycles the instructions of a warp keep each unit of a multiprocessor.
func (c card) busy(code []instruction) map[unit]float64 {
	sum := map[unit]float64{}
	for _, i := range code {
		if i.stands() {
			continue
		}
		u, cycles := c.unitOf(i)
		if u != noUnit {
			sum[u] += cycles
		}
		sum[noUnit] += 0.25 // every instruction is issued
	}
	return sum
}
