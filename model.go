package gpdrf

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Model is a trained model. Several goroutines may use it.
type Model struct {
	// Device is where Predict computes, as in Options. Predict opens it, and another one after a change.
	// Change it only while no other goroutine uses the model.
	Device string

	trained *fitted.Model
	config  *options.Config // of its training; nil of Load
	steps   int

	mu    sync.Mutex // of what follows, and of a forward pass
	dev   device.Device
	open  string // the Device that dev is
	ready *fitted.Predictor
	batch int // the most rows that ready predicts at once
}

// errUntrained is the error of a Model that neither Train nor Load has made.
var errUntrained = errors.New("this Model is empty: Train and Load make one")

// Load reads a model from a file of Save, or from a run folder, which has it in model.safetensors.
func Load(path string) (*Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, rundir.ModelFile)
	}
	t, err := fitted.ReadModel(path)
	if err != nil {
		return nil, err
	}
	return &Model{trained: t}, nil
}

// Save writes the model. The file appears whole or not at all.
func (m *Model) Save(path string) error {
	if m.trained == nil {
		return errUntrained
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error { return m.trained.WriteModel(w) })
}

// Classes are the classes of a classification in the order of Prediction.Probabilities; nil for a
// regression.
func (m *Model) Classes() []string {
	if m.trained == nil {
		return nil
	}
	return slices.Clone(m.trained.Schema.Classes)
}

// Predict predicts rows. Columns are matched by name; without names they are taken in the order of
// training. The first call puts the model on its device, where it stays for the next ones until
// Close.
func (m *Model) Predict(ctx context.Context, rows Rows) (_ *Prediction, err error) {
	defer inOptions(&err)
	t := m.trained
	if t == nil {
		return nil, errUntrained
	}
	given, err := data.Rows(rows).Request(t.Schema)
	if err != nil {
		return nil, err
	}
	ds, err := t.Schema.Rows(given)
	if err != nil {
		return nil, err
	}
	x, distances, err := t.Rows(ctx, ds)
	if err != nil {
		return nil, err
	}
	parts, err := m.forward(ctx, ds.N(), x)
	if err != nil {
		return nil, err
	}
	p := fitted.Joined(parts)
	if err := fitted.CheckFinite(p, ds); err != nil {
		return nil, err
	}
	prediction := newPrediction(t, p, distances)
	prediction.Warnings = t.Warnings(ctx, given, ds)
	return prediction, nil
}

// startOf are the options of a training that starts at the model, on rows like its own; nil is no model.
func (m *Model) startOf(c *options.Config, rows *data.Dataset) (*options.Config, error) {
	switch {
	case m == nil:
		return c, nil
	case m.config == nil:
		return nil, errors.New("gpdrf.Options: From: a model of Load does not know the options of its training: " +
			"start at one of Train in this process, or use the command train, which starts at run folders")
	}
	if _, _, err := m.config.KnowTarget(rows); err != nil { // puts levels in their order
		return nil, err
	}
	if !reflect.DeepEqual(ofModel(rows.Schema().Plain()), ofModel(m.trained.Schema)) {
		return nil, errors.New("gpdrf.Options: From: the rows have other columns, targets or classes than those " +
			"of the model")
	}
	return c.With("from", "Options.From").WarmStart(m.config, m.steps)
}

// ofModel is a schema without the roles that rows of one model may have or not.
func ofModel(s data.Schema) data.Schema {
	s.Roles = data.RowRoles{Offset: s.Roles.Offset}
	return s
}

// Close gives the device and its memory back. A later Predict opens it again.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.close()
}

func (m *Model) close() (err error) {
	if m.dev != nil {
		err = m.dev.Close()
	}
	m.dev, m.ready, m.batch = nil, nil, 0
	return err
}

// fewRows is how many rows any predictor has memory for.
const fewRows = 64

// forward predicts n rows x, which are as the model reads them.
func (m *Model) forward(ctx context.Context, n int, x []float64) (parts []*model.Prediction, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ready == nil || n > m.batch || m.open != m.Device {
		if err := m.prepare(n); err != nil {
			return nil, err
		}
	}
	return m.ready.Predict(ctx, n, x)
}

// prepare puts the model on its device, with memory for n rows at once, or as many as fit well.
func (m *Model) prepare(n int) error {
	samples := m.trained.EvalSamples
	batch := min(max(n, fewRows), (&predict.Stream{Trained: m.trained, Samples: samples}).Batch())
	if batch == m.batch && m.open == m.Device {
		return nil
	}
	if err := m.close(); err != nil {
		return err
	}
	dev, err := device.Open(m.Device)
	if err != nil {
		return err
	}
	m.dev, m.open = dev, m.Device
	if m.ready, err = m.trained.NewPredictor(dev, batch, samples); err != nil {
		return errors.Join(err, m.close())
	}
	m.batch = batch
	return nil
}
