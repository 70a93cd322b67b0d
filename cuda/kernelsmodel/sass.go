package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// instruction is one of SASS, the machine code of a GPU, as nvdisasm -c -hex prints it.
type instruction struct {
	op     string // "FFMA"
	full   string // "LDS.128"
	target int    // of a branch: where it goes, or -1
	always bool   // the branch has no condition
	dead   bool   // it never runs
	paired bool   // it reads for two lanes at once
	stores bool   // it may skip code that stores the results of a block
	// It stands for a loop, or for code that stores results, which takes so many cycles.
	inner   *loop
	results []instruction
	cycles  float64
	// What the assembler tells the scheduler of a warp: how many cycles the next instruction waits;
	// which scoreboards this one sets when it has written, and when it has read, or −1; and a bit
	// for each scoreboard that it waits for.
	stall       int
	write, read int
	wait        int
}

var (
	headPattern  = regexp.MustCompile(`^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s+/\* 0x([0-9a-f]{16}) \*/`)
	wordPattern  = regexp.MustCompile(`^\s+/\* 0x([0-9a-f]{16}) \*/`)
	labelPattern = regexp.MustCompile(`^(\.L_\S+):`)
	// a condition, before or behind the name
	maybePattern = regexp.MustCompile(`^@|^BRA\S* !?U?P\d`)
	opPattern    = regexp.MustCompile(`^(?:@!?U?P\w+\s+)?([A-Z0-9_]+)([.A-Z0-9_]*)`)
	placePattern = regexp.MustCompile("`\\((\\.L_\\S+)\\)")
)

// parseSASS is the instructions of each kernel.
func parseSASS(text string) (map[string][]instruction, error) {
	all := map[string][]instruction{}
	var name string
	var code []instruction
	labels, places := map[string]int{}, map[int]string{}
	finish := func() error {
		for at, label := range places {
			to, ok := labels[label]
			if !ok {
				return fmt.Errorf("kernel %s branches to %s, which is not there", name, label)
			}
			code[at].target = to
		}
		findDead(code)
		if strings.HasPrefix(name, "features_") {
			markLayer(code, loops(code))
		}
		if name != "" {
			all[name] = code
		}
		code, labels, places = nil, map[string]int{}, map[int]string{}
		return nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if section, ok := strings.CutPrefix(line, ".text."); ok {
			if err := finish(); err != nil {
				return nil, err
			}
			name = strings.TrimSuffix(section, ":")
		} else if m := labelPattern.FindStringSubmatch(line); m != nil {
			labels[m[1]] = len(code)
		} else if m := headPattern.FindStringSubmatch(line); m != nil {
			op := opPattern.FindStringSubmatch(m[2])
			if op == nil {
				return nil, fmt.Errorf("kernel %s: %q is not an instruction", name, m[2])
			}
			if op[1] == "BRA" {
				if place := placePattern.FindStringSubmatch(m[2]); place != nil {
					places[len(code)] = place[1]
				}
			}
			code = append(code, instruction{op: op[1], full: op[1] + op[2], target: -1, always: !maybePattern.MatchString(m[2])})
		} else if m := wordPattern.FindStringSubmatch(line); m != nil && len(code) > 0 {
			word, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return nil, err
			}
			code[len(code)-1].schedule(word)
		}
	}
	return all, finish()
}

// findDead marks code that never runs: what BRA.DIV goes to where threads of a warp have parted,
// which no kernel of ours lets happen at a shuffle. What CALL goes to is marked, too: the slow
// paths of divisions and roots, which normal numbers do not take.
func findDead(code []instruction) {
	for at := range code {
		if i := &code[at]; i.full == "BRA.DIV" {
			i.target, i.always = -1, false
		}
		code[at].dead = true
	}
	from := []int{0}
	for len(from) > 0 {
		at := from[len(from)-1]
		from = from[:len(from)-1]
		if at >= len(code) || !code[at].dead {
			continue
		}
		i := &code[at]
		i.dead = false
		if i.target >= 0 {
			from = append(from, i.target)
		}
		if !i.always || i.op != "BRA" && i.op != "EXIT" {
			from = append(from, at+1)
		}
	}
}

// schedule reads the bits for the scheduler from the second word of an instruction.
func (i *instruction) schedule(word uint64) {
	board := func(bits uint64) int {
		if bits&7 == 7 {
			return -1
		}
		return int(bits & 7)
	}
	i.stall, i.write, i.read, i.wait = int(word>>41&15), board(word>>46), board(word>>49), int(word>>52&63)
}

// loop is the instructions first to last, which end in a branch back, and the loops inside.
type loop struct {
	first, last int
	inner       []*loop
	around      *loop
	at          int // its place in around.inner
}

// level is how many loops are around it.
func (l *loop) level() int {
	if l.around == nil {
		return 0
	}
	return 1 + l.around.level()
}

// loops is a kernel as a loop that runs once, with its loops inside.
func loops(code []instruction) *loop {
	last := map[int]int{} // of the branches back to a place, the last one
	for at, i := range code {
		if !i.dead && i.target >= 0 && i.target < at { // one to itself ends a kernel
			last[i.target] = at
		}
	}
	var all []*loop
	for first, end := range last {
		all = append(all, &loop{first: first, last: end})
	}
	slices.SortFunc(all, func(a, b *loop) int {
		if a.first != b.first {
			return a.first - b.first
		}
		return b.last - a.last
	})
	whole := &loop{last: len(code) - 1}
	stack := []*loop{whole}
	for _, l := range all {
		for stack[len(stack)-1].last < l.last && len(stack) > 1 {
			stack = stack[:len(stack)-1]
		}
		top := stack[len(stack)-1]
		l.around, l.at = top, len(top.inner)
		top.inner = append(top.inner, l)
		stack = append(stack, l)
	}
	return whole
}

// stands says that it stands for others.
func (i instruction) stands() bool { return i.inner != nil || i.results != nil }

// own is the instructions of a loop, with one for each loop inside, wherever it is, and one for
// code that stores results. Of two ways through the code it is the longer one; where there is
// nothing on one of them, the branch is not taken.
func (l *loop) own(code []instruction) (own []instruction) {
	inner := l.inner
	stand := func() {
		own, inner = append(own, instruction{inner: inner[0]}), inner[1:]
	}
	for at := l.first; at <= l.last; at++ {
		if len(inner) > 0 && inner[0].first <= at {
			at = inner[0].last
			stand()
			continue
		}
		i := code[at]
		if i.dead {
			continue
		}
		own = append(own, i)
		if i.target <= at || i.target > l.last {
			continue
		}
		switch {
		case i.stores:
			own = append(own, instruction{results: written(code, at+1, i.target)})
			at = i.target - 1
		case i.always || elseTaken(code, at):
			for len(inner) > 0 && inner[0].first < i.target { // how often they run is known
				stand()
			}
			at = i.target - 1
		}
	}
	return own
}

// elseTaken says whether a branch with a condition is taken: where the code that it skips ends in a
// branch to what comes after both ways, and the other way is longer. Of two steps of a product it
// is the one with more products.
func elseTaken(code []instruction, at int) bool {
	other := code[at].target
	end := code[other-1]
	if end.op != "BRA" || !end.always || end.target <= other || end.target > len(code) {
		return false
	}
	these, those := code[at+1:other], code[other:end.target]
	if multiplies(these) && multiplies(those) {
		return count(those, "DMMA", "DFMA") > count(these, "DMMA", "DFMA")
	}
	return len(those) > len(these)-1
}

// count is how many instructions have one of these names.
func count(code []instruction, ops ...string) (n int) {
	for _, i := range code {
		if slices.Contains(ops, i.op) {
			n++
		}
	}
	return n
}
