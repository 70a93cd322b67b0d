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
	// Device is the device for Predict, as in Options.Device. If it has changed, the next call of Predict opens the new
	// device. Change it only while no other goroutine uses the model.
	Device string

	trained *fitted.Model
	config  *options.Config // options of its training; nil for a model of Load
	steps   int             // number of steps of its training

	mu        sync.Mutex // guards the fields below and a forward pass
	dev       device.Device
	devName   string // the Device with which dev was opened
	predictor *fitted.Predictor
	batch     int // number of rows that predictor can predict at once
}

// errUntrained is the error of a Model that was made neither by Train nor by Load.
var errUntrained = errors.New("this Model is empty: Train and Load make one")

// Load reads a model from a file written by Save, or from a run folder.
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

// Save writes the model to a file, which appears whole or not at all.
func (m *Model) Save(path string) error {
	if m.trained == nil {
		return errUntrained
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error { return m.trained.WriteModel(w) })
}

// Classes returns the classes of a classification in the order of Prediction.Probabilities; nil for a regression.
func (m *Model) Classes() []string {
	if m.trained == nil {
		return nil
	}
	return slices.Clone(m.trained.Schema.Classes)
}

// Predict predicts rows. Columns are matched by name; without names they are taken in the order of
// training. The first call puts the model on its device, where it stays for later calls until
// Close.
func (m *Model) Predict(ctx context.Context, rows Rows) (*Prediction, error) {
	t := m.trained
	if t == nil {
		return nil, errUntrained
	}
	request, ds, err := rowsFor(t, rows)
	if err != nil {
		return nil, err
	}
	x, distances, err := t.Rows(ctx, ds)
	if err != nil {
		return nil, err
	}
	p, err := m.forward(ctx, ds.N(), x)
	if err != nil {
		return nil, err
	}
	if err := fitted.CheckFinite(p, ds); err != nil {
		return nil, err
	}
	prediction := newPrediction(t, p, distances)
	prediction.Warnings = t.RequestWarnings(ctx, request, ds)
	return prediction, nil
}

// warmStart returns the options of a training that starts at the model, on rows with the same columns. m
// may be nil.
func (m *Model) warmStart(c options.Config, rows *data.Dataset) (options.Config, error) {
	switch {
	case m == nil:
		return c, nil
	case m.config == nil:
		return c, errors.New("gpdrf.Options: From: a model of Load does not know the options of its training: " +
			"start at one of Train in this process, or use the command train, which starts at run folders")
	}
	if _, _, err := m.config.ResolveTarget(rows); err != nil { // ResolveTarget sorts the levels of the target.
		return c, err
	}
	if !reflect.DeepEqual(withoutRowRoles(rows.Schema().Plain()), withoutRowRoles(m.trained.Schema)) {
		return c, errors.New("gpdrf.Options: From: the rows have other columns, targets or classes than those " +
			"of the model")
	}
	c.StartFrom = "Options.From"
	return c.WarmStart(*m.config, m.steps)
}

// withoutRowRoles returns a schema without the roles that do not matter to a model, such as weights.
func withoutRowRoles(s data.Schema) data.Schema {
	s.Roles = data.RowRoles{Offset: s.Roles.Offset}
	return s
}

// Close releases the device and its memory. A later Predict opens it again.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.close()
}

func (m *Model) close() (err error) {
	if m.dev != nil {
		err = m.dev.Close()
	}
	m.dev, m.predictor, m.batch = nil, nil, 0
	return err
}

// fewRows is the least number of rows that a predictor has memory for.
const fewRows = 64

// forward predicts n rows. x are their inputs in the form that the model reads.
func (m *Model) forward(ctx context.Context, n int, x []float64) (*model.Prediction, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.predictor == nil || n > m.batch || m.devName != m.Device {
		if err := m.prepare(n); err != nil {
			return nil, err
		}
	}
	return m.predictor.Predict(ctx, n, x)
}

// prepare puts the model on its device, with memory for n rows at once, or for as many as fit.
func (m *Model) prepare(n int) error {
	samples := m.trained.EvalSamples
	batch := min(max(n, fewRows), predict.BatchRows(m.trained, samples))
	if batch == m.batch && m.devName == m.Device {
		return nil
	}
	if err := m.close(); err != nil {
		return err
	}
	dev, err := device.Open(m.Device)
	if err != nil {
		return err
	}
	m.dev, m.devName = dev, m.Device
	if m.predictor, err = m.trained.NewPredictor(dev, batch, samples); err != nil {
		return errors.Join(err, m.close())
	}
	m.batch = batch
	return nil
}
