package main

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
)

const reachPicture = "docs/images/reach.png"

// reachRecords are the records of reach by the names of their rows.
type reachRecords map[string]*record

func readReach() (reachRecords, error) { return readGroup(recordsFolder, "reach") }

// reachRow returns the name of a run's row. Only the names of ours have the limit.
func reachRow(set, method string, limit, repeat int) row {
	if method == "gpdrf" {
		method = fmt.Sprintf("%s-%ds", method, limit)
	}
	return row{group: "reach", label: set + "-" + method, number: repeat}
}

func (runs reachRecords) find(set, method string, limit, repeat int) *record {
	return runs[reachRow(set, method, limit, repeat).line()]
}

// figure returns a figure of a record; +Inf if there is no run, or if it failed.
func figure(m *record, key string) float64 {
	if m != nil {
		if v, ok := value(m.Test, key); ok {
			return v
		}
	}
	return math.Inf(1)
}

// next returns the next run of a repeat: a peer, or ours with its limit; "" after the last.
func (runs reachRecords) next(set string, repeat int) (method string, limit int) {
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

// race is the comparison of ours with a peer on a set. For each repeat it has the run of the peer, and our run that
// reaches the peer's NLPD; nil if none did in time.
type race struct {
	set, peer    string
	theirs, ours []*record
}

// races returns the races whose repeats have all of their runs.
func (runs reachRecords) races() (out []race) {
	for _, s := range setsOf(numbers) {
		for _, peer := range reachPeers {
			r := race{set: s.name, peer: peer}
			for repeat := 1; repeat <= reachRepeats; repeat++ {
				theirs := runs.find(s.name, peer, 0, repeat)
				if method, _ := runs.next(s.name, repeat); method != "" || math.IsInf(figure(theirs, "nlpd"), 1) {
					break
				}
				r.theirs = append(r.theirs, theirs)
				r.ours = append(r.ours, runs.firstReaching(s.name, repeat, figure(theirs, "nlpd")))
			}
			if len(r.ours) == reachRepeats {
				out = append(out, r)
			}
		}
	}
	return out
}

// firstReaching returns our run with the least limit that reaches an NLPD; nil if none does.
func (runs reachRecords) firstReaching(set string, repeat int, goal float64) *record {
	for _, limit := range reachLimits {
		if m := runs.find(set, "gpdrf", limit, repeat); figure(m, "nlpd") <= goal {
			return m
		}
	}
	return nil
}

// medianFigure returns the median of a figure.
func medianFigure(runs []*record, key string) float64 {
	var figures []float64
	for _, m := range runs {
		figures = append(figures, figure(m, key))
	}
	return median(figures)
}

// draw draws the seconds of the races, if there are any.
func (runs reachRecords) draw() error {
	p := plots.Races{Title: "Seconds to the other's NLPD, from start to prediction", TimeLimit: 60}
	for _, r := range runs.races() {
		p.Names = append(p.Names, r.set+", "+titleOf(r.peer))
		p.Theirs = append(p.Theirs, medianFigure(r.theirs, "wall_seconds"))
		p.Ours = append(p.Ours, medianFigure(r.ours, "wall_seconds"))
	}
	if len(p.Names) == 0 {
		return nil
	}
	return writeFile(reachPicture, p.Write)
}
