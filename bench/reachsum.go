package main

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
)

const reachPicture = "docs/images/reach.png"

// reached are the records of reach by their rows' lines.
type reached map[string]*record

func readReach() (reached, error) { return readGroup(recordsFolder, "reach") }

// reachRow is a run's row. Only ours has its limit in the name.
func reachRow(set, method string, limit, repeat int) row {
	if method == "gpdrf" {
		method = fmt.Sprintf("%s-%ds", method, limit)
	}
	return row{group: "reach", label: set + "-" + method, number: repeat}
}

func (runs reached) find(set, method string, limit, repeat int) *record {
	return runs[reachRow(set, method, limit, repeat).line()]
}

// figure is +Inf where there is no run, or it failed.
func figure(m *record, key string) float64 {
	if m != nil {
		if v, ok := value(m.Test, key); ok {
			return v
		}
	}
	return math.Inf(1)
}

// next is the run of a repeat that comes next: a peer, or ours with its limit; "" after the last.
func (runs reached) next(set string, repeat int) (method string, limit int) {
	goal := math.Inf(1)
	for _, peer := range reachPeers {
		m := runs.find(set, peer, 0, repeat)
		if m == nil {
			return peer, 0
		}
		goal = min(goal, figure(m, "nlpd"))
	}
	for _, limit := range reachLimits {
		m := runs.find(set, "gpdrf", limit, repeat)
		if m == nil {
			return "gpdrf", limit
		}
		if figure(m, "nlpd") <= goal {
			break
		}
	}
	return "", 0
}

// race is a peer beside ours on a set: the runs to the peer's NLPD by repeat, nil where ours was not
// there in time.
type race struct {
	set, peer    string
	theirs, ours []*record
}

// races are those whose repeats have all of their runs.
func (runs reached) races() (out []race) {
	for _, s := range setsOf(numbers) {
		for _, peer := range reachPeers {
			r := race{set: s.name, peer: peer}
			for repeat := 1; repeat <= reachRepeats; repeat++ {
				theirs := runs.find(s.name, peer, 0, repeat)
				if left, _ := runs.next(s.name, repeat); left != "" || math.IsInf(figure(theirs, "nlpd"), 1) {
					break
				}
				r.theirs, r.ours = append(r.theirs, theirs), append(r.ours, runs.first(s.name, repeat, figure(theirs, "nlpd")))
			}
			if len(r.ours) == reachRepeats {
				out = append(out, r)
			}
		}
	}
	return out
}

// first is our run with the least limit that reaches an NLPD, nil if none does.
func (runs reached) first(set string, repeat int, goal float64) *record {
	for _, limit := range reachLimits {
		if m := runs.find(set, "gpdrf", limit, repeat); figure(m, "nlpd") <= goal {
			return m
		}
	}
	return nil
}

// middle is the median of a figure.
func middle(runs []*record, key string) float64 {
	var figures []float64
	for _, m := range runs {
		figures = append(figures, figure(m, key))
	}
	return median(figures)
}

// draw draws the seconds of the races, if there are any.
func (runs reached) draw() error {
	p := plots.Races{Title: "Seconds to the other's NLPD, from start to prediction", Most: 60}
	for _, r := range runs.races() {
		p.Names = append(p.Names, r.set+", "+titleOf(r.peer))
		p.Theirs = append(p.Theirs, middle(r.theirs, "wall_seconds"))
		p.Ours = append(p.Ours, middle(r.ours, "wall_seconds"))
	}
	if len(p.Names) == 0 {
		return nil
	}
	return writeFile(reachPicture, p.Write)
}
