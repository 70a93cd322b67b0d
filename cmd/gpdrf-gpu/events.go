package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/tfevents"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// events writes the log for TensorBoard into the run folder during the run. It is nil without --tensorboard, unless the
// run had it before it was resumed. An error is a warning, and ends the log. The recorder calls it one step at a time.
type events struct {
	p       *program
	folder  *rundir.Folder
	name    string
	pending []byte // records that are not written yet
	last    time.Time
	failed  bool
}

// eventsEvery is the time that readings wait, so that several are written together.
const eventsEvery = time.Second

func (p *program) newEvents(folder *rundir.Folder) *events {
	entries, _ := os.ReadDir(folder.Path()) // none in a new run, whose path is empty
	had := slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), rundir.EventsPrefix)
	})
	if !p.tensorboard && !had {
		return nil
	}
	now := time.Now()
	return &events{
		p: p, folder: folder, pending: tfevents.Begin(now),
		name: fmt.Sprintf("%s%d.%d.gpdrf-gpu", rundir.EventsPrefix, now.Unix(), os.Getpid()),
	}
}

// write adds a record. It writes all records that wait if now is set, or if eventsEvery has passed.
func (e *events) write(record []byte, now bool) {
	if e == nil {
		return
	}
	e.pending = append(e.pending, record...)
	if e.failed || !now && time.Since(e.last) < eventsEvery {
		return
	}
	if err := e.folder.Append(e.name, e.pending); err != nil {
		e.failed = true
		e.p.warn("TensorBoard will show no more of this run: %v", err)
	}
	e.pending = nil
	e.last = time.Now()
}

// step writes the numbers of a reading.
func (e *events) step(p rundir.Progress) {
	if e == nil {
		return
	}
	values := []tfevents.Value{
		tfevents.Scalar("train/elbo", p.Objective), tfevents.Scalar("train/ell", p.ELL),
		tfevents.Scalar("train/kl", p.KL), tfevents.Scalar("train/lr", p.LR),
	}
	if v := p.Validation; v != nil && v.Step == p.Step {
		scores := v.Scores()
		for _, name := range slices.Sorted(maps.Keys(scores)) {
			if score := scores[name]; score != nil {
				values = append(values, tfevents.Scalar("validation/"+name, *score))
			}
		}
	}
	e.write(tfevents.Summary(time.Now(), p.Step, values...), false)
}

// scores returns the records of the scores, the options and the histograms of predictions.
func (e *events) scores(r *rundir.Result, c options.Config, rows *report.TestRows) []byte {
	now := time.Now()
	var values []tfevents.Value
	var metrics []string
	test, _ := r.ResultScores.ByName()
	for _, name := range slices.Sorted(maps.Keys(test)) {
		metrics = append(metrics, "test/"+name)
		values = append(values, tfevents.Scalar("test/"+name, test[name]))
	}
	for _, h := range rows.Histograms() {
		if v := tfevents.Histogram("predictions/"+h.Name, h.Values); v != nil {
			values = append(values, v)
		}
	}
	var params []tfevents.Param
	for _, o := range c.Options() {
		if !o.Applies(c.Model) || o.OmitUnset {
			continue
		}
		p := tfevents.Param{Name: o.Key, Text: o.Text()}
		if v, err := strconv.ParseFloat(p.Text, 64); err == nil {
			p.Number = &v
		}
		params = append(params, p)
	}
	return append(tfevents.Summary(now, r.Steps, values...),
		tfevents.Hyperparameters(params, metrics, e.p.began, now)...)
}
