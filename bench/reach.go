package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// reachPeers are the methods whose NLPD ours has to reach, with the least of the limits in seconds.
var (
	reachPeers  = []string{"svgp", "lightgbm"}
	reachLimits = []int{1, 2, 4, 8, 16, 32, 60}
)

const (
	reachRepeats = 5
	maxReached   = 6 // number of sets of numbers, the ones with the most rows in fold 1
)

// reach runs the cells without a record in bench/results/reach.jsonl, and draws the picture. If it is killed, the next
// call continues from there. If another process does the same, it does nothing.
func reach() error { return runClaimed(filepath.Join(recordsFolder, "reach"), reachAll) }

// reachAll does the work of reach.
func reachAll() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cells, limits, err := reachCells()
	if err != nil {
		return err
	}
	if err := buildSuite(ctx); err != nil {
		return err
	}
	now, err := newStamp()
	if err != nil {
		return err
	}
	now.Threads = suiteThreads
	runs, err := readReach()
	for i := 0; err == nil && i < reachRepeats*len(cells); {
		c, repeat := cells[i/reachRepeats], i%reachRepeats+1
		method, limit := runs.next(c.set.name, repeat)
		if method == "" {
			i++
			continue
		}
		if c.method = methodOf(method); !c.method.ours() {
			limit = limits[c.set.name]
		}
		fmt.Fprintf(os.Stderr, "%s, %d s, repeat %d\n", c, limit, repeat)
		var m *record
		if m, err = c.reach(ctx, limit, repeat, now); err == nil {
			err = m.write(recordsFolder, reachRow(c.set.name, method, limit, repeat))
			runs[m.Row] = m
		}
	}
	return cmp.Or(err, runs.draw())
}

// reachCells returns the cells without a method, with the limits of the suite.
func reachCells() (cells []suiteCell, limits map[string]int, err error) {
	limits = map[string]int{}
	rows := map[string]int{}
	for _, s := range setsOf(numbers) {
		if why := s.missing(); why != "" {
			return nil, nil, fmt.Errorf("%w: %s", errMissing, why)
		}
		if _, rows[s.name], err = s.prepare(1); err != nil {
			return nil, nil, err
		}
		limits[s.name] = timeFor(rows[s.name])
		cells = append(cells, suiteCell{set: s, fold: 1})
	}
	slices.SortStableFunc(cells, func(a, b suiteCell) int { return cmp.Compare(rows[b.set.name], rows[a.set.name]) })
	return cells[:maxReached], limits, nil
}

// reach runs a cell. The seed of ours is the number of the repeat. A failure has a record without scores.
func (c suiteCell) reach(ctx context.Context, limit, repeat int, now stamp) (*record, error) {
	if why := c.missing(); why != "" {
		return nil, fmt.Errorf("%w: %s", errMissing, why)
	}
	if err := c.clear(); err != nil {
		return nil, err
	}
	r := &suiteRecord{Command: c.command(limit), Seed: suiteSeed}
	if c.method.ours() {
		r.Seed, r.Command = uint64(repeat), fmt.Sprintf("%s --seed %d", r.Command, repeat)
	}
	text, err := r.runCommand(ctx, time.Duration(limit+startUp)*time.Second)
	wall := r.Took // time of the whole process
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && c.method.ours():
		err = r.readOurs(text, c.set.kind)
	case err == nil:
		err = r.readPeer(text, c, c.set.folder(c.fold))
	}
	if errors.Is(err, errMissing) {
		return nil, err
	}
	m := &record{Command: r.Command, Seed: r.Seed, stamp: now, Date: time.Now().UTC().Format(time.DateOnly),
		Steps: r.Steps, Seconds: r.Took, NTrain: r.NTrain, NTest: r.NTest,
		Test: map[string]any{"wall_seconds": wall, "cpu_seconds": r.CPU}}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return m, nil
	}
	for key, v := range r.Scores {
		m.Test[key] = v
	}
	return m, nil
}
