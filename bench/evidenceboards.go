package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// board is a comparison that others have defined, with the records of its runs here.
type board struct {
	file, says, ours, score, command string
	scores                           map[string]map[string]map[int]float64 // scores by model, set and fold
}

// boards returns the boards that may have records.
func boards() []*board {
	return []*board{
		{file: "scoringbench", says: "ScoringBench", ours: "gpdrf_gpu", score: "log score",
			command: "python bench/scoringbench.py GPDRF-GPU FOLDER"},
	}
}

// readBoards returns the boards with records in a folder.
func readBoards(folder string) (all []*board, err error) {
	for _, d := range boards() {
		path := recordFile(folder, d.file)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := eachLine(path, whole(text), d.read); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// read adds a record.
func (d *board) read(line []byte) error {
	var r struct {
		Dataset, Set, Model string
		Fold, Split         int
		LogScore            float64 `json:"log_score"` // log score, of which less is better
		NLPD                float64 `json:"nlpd"`
	}
	err := json.Unmarshal(line, &r)
	d.put(r.Model, cmp.Or(r.Dataset, r.Set), cmp.Or(r.Fold, r.Split), cmp.Or(r.LogScore, r.NLPD))
	return err
}

func (d *board) put(model, set string, fold int, score float64) {
	if d.scores == nil {
		d.scores = map[string]map[string]map[int]float64{}
	}
	if d.scores[model] == nil {
		d.scores[model] = map[string]map[int]float64{}
	}
	if d.scores[model][set] == nil {
		d.scores[model][set] = map[int]float64{}
	}
	d.scores[model][set][fold] = score
}

// compareWith compares ours with another model, paired over the folds that both have.
func (d *board) compareWith(model string) string {
	var count [3]int
	worst, on, n := mean{}, "", 0
	for _, set := range slices.Sorted(maps.Keys(d.scores[d.ours])) {
		var x, y []float64
		for _, fold := range slices.Sorted(maps.Keys(d.scores[d.ours][set])) {
			if v, ok := d.scores[model][set][fold]; ok {
				x, y = append(x, d.scores[d.ours][set][fold]), append(y, v)
			}
		}
		if len(x) == 0 {
			continue
		}
		result := verdict(x, y)
		count[result]++
		if m := paired(x, y); result == 2 && m.value > worst.value {
			worst, on, n = m, set, len(x)
		}
	}
	text := fmt.Sprintf("- %s, %s beside %s: better on %d, equal on %d and worse on %d.", capital(d.says), d.score,
		model, count[0], count[1], count[2])
	if on != "" {
		text += fmt.Sprintf(" The largest loss is on %s: %s, %s.", on, signed(worst), foldCount(n))
	}
	return text + "\n"
}

// foldCount formats a number of folds, such as "one fold" or "2 folds".
func foldCount(n int) string {
	if n == 1 {
		return "one fold"
	}
	return fmt.Sprintf("%d folds", n)
}

// others writes the results of the defaults on public benchmarks.
func (p evidencePage) others(b *strings.Builder) {
	if len(p.boards) == 0 {
		return
	}
	b.WriteString("\n## On public benchmarks\n\nSets, splits and scores are those of the benchmark. " +
		"[boards.md](boards.md) has all figures.\n\n")
	commands := ""
	for _, d := range p.boards {
		commands += "      " + d.command + "\n"
		for _, model := range slices.Sorted(maps.Keys(d.scores)) {
			if model != d.ours {
				b.WriteString(d.compareWith(model))
			}
		}
	}
	b.WriteString("\n" + commands)
}
