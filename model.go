package gpdrf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	trained *fitted.Model

	mu        sync.Mutex // guards the fields below and the work of dev
	device    string     // name of the device for the next call, as in Options.Device
	dev       device.Device
	devName   string // name with which dev was opened
	predictor *fitted.Predictor
	batch     int // number of rows that predictor can predict at once
}

// Load reads a model from a file written by Save, or from the folder of a run that has ended. Rows hold no
// columns of text: of a model that has such columns, only gpdrf-gpu predict and serve make predictions.
func Load(path string) (*Model, error) {
	if path == "" {
		return nil, inputErrorf("", "gpdrf.Load: the path is empty: give a file of Save, or the folder of a run")
	}
	file, folder := path, ""
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file, folder = filepath.Join(path, rundir.ModelFile), path
	}
	t, err := fitted.ReadModel(file)
	if err != nil && folder == "" && !errors.Is(err, fs.ErrNotExist) && !rundir.IsModelFile(file) {
		err = fmt.Errorf("%s: no model file: give a file of Save, or the folder of a run", path)
	}
	if err != nil {
		return nil, &InputError{File: path, Err: err}
	}
	m := &Model{trained: t}
	if folder == "" {
		return m, nil
	}
	config := filepath.Join(folder, rundir.ConfigFile)
	text, err := os.ReadFile(config)
	if errors.Is(err, fs.ErrNotExist) { // WarmStart alone needs the options of a run
		return m, nil
	}
	if err != nil {
		return nil, &InputError{File: config, Err: err}
	}
	result, err := rundir.ReadResult(folder)
	if err != nil {
		return nil, &InputError{File: path, Err: err}
	}
	t.Options, t.Steps = string(text), result.Steps
	if _, _, err := m.options(); err != nil {
		return nil, &InputError{File: config, Err: err}
	}
	return m, nil
}

// Save writes the model to a file, which appears whole or not at all. The file holds the options of the training, too,
// so that Options.WarmStart takes its model.
func (m *Model) Save(path string) error {
	if m.trained == nil {
		return ErrUntrained
	}
	if path == "" {
		return inputErrorf("", "gpdrf.Model.Save: the path is empty: give the name of a file")
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

// SetDevice chooses the device by a name as in Options.Device. The next call that needs it opens it. At first, it is
// the device of Train, or "auto" after Load. A device that is not there is an error of that call.
func (m *Model) SetDevice(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.device = name
}

// Predict predicts rows. Columns are matched by name; without names they are taken in the order of training. Targets
// are ignored. The first call puts the model on its device, where it stays for later calls until Close.
func (m *Model) Predict(ctx context.Context, rows Rows) (p *Prediction, err error) {
	defer func() { err = asInput(err) }()
	t := m.trained
	if t == nil {
		return nil, ErrUntrained
	}
	request, ds, err := rowsFor(t, rows)
	if err != nil {
		return nil, err
	}
	x, distances, err := t.Rows(ctx, ds)
	if err != nil {
		return nil, err
	}
	mixture, err := m.forward(ctx, ds.N(), x)
	if err != nil {
		return nil, err
	}
	if err := fitted.CheckFinite(mixture, ds); err != nil {
		return nil, err
	}
	p = newPrediction(t, mixture, distances)
	p.Warnings = t.RequestWarnings(ctx, request, ds)
	return p, nil
}

// rowsFor returns rows in the form of the training rows of a model, without targets.
func rowsFor(t *fitted.Model, rows Rows) (request data.Request, ds *data.Dataset, err error) {
	if request, err = data.Rows(rows).Request(t.Schema); err == nil {
		ds, err = t.Schema.Rows(request)
	}
	return request, ds, err
}

// warmStart returns the options of a training that starts at the model, and its rows.
func (m *Model) warmStart(c options.Config, rows Rows) (options.Config, *data.Dataset, error) {
	if m.trained == nil {
		return c, nil, fmt.Errorf("gpdrf.Options: WarmStart: %w", ErrUntrained)
	}
	if m.trained.Members != nil {
		return c, nil, inputErrorf("from", "gpdrf.Options: WarmStart: the model is an ensemble, which cannot be "+
			"trained further: give a single model")
	}
	base, known, err := m.options()
	if err != nil {
		return c, nil, err
	}
	if !known {
		return c, nil, inputErrorf("from", "gpdrf.Options: WarmStart: the file of the model does not have the options "+
			"of its training: load the folder of its run")
	}
	c.StartFrom = "Options.WarmStart"
	if c, err = c.WarmStart(base, m.trained.Steps); err != nil {
		return c, nil, err
	}
	ds, err := data.RowsForSchema(data.Rows(rows), m.trained.Schema)
	return c, ds, err
}

// options returns the options of the model's training; known is false if its file has none.
func (m *Model) options() (c options.Config, known bool, err error) {
	if m.trained.Options == "" {
		return c, false, nil
	}
	settings, err := options.ParseYAML("options of the model", []byte(m.trained.Options))
	if err != nil {
		return c, false, err
	}
	c, err = options.Resolve(settings, nil)
	return c, true, err
}

// Close releases the device that calls keep open, and its memory. A later call opens it again.
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
func (m *Model) forward(ctx context.Context, n int, x []float64) (p *model.Prediction, err error) {
	err = m.onDevice(func(device.Device) error {
		if err := m.prepare(n); err != nil {
			return err
		}
		p, err = m.predictor.Predict(ctx, n, x)
		return err
	})
	return p, err
}

// prepare puts the model on its device, with memory for n rows at once, or for as many as fit.
func (m *Model) prepare(n int) (err error) {
	samples := m.trained.EvalSamples
	batch := min(max(n, fewRows), predict.BatchRows(m.trained, samples))
	if batch <= m.batch {
		return nil
	}
	m.predictor, m.batch = nil, 0 // its memory is free for the new one
	if m.predictor, err = m.trained.NewPredictor(m.dev, batch, samples); err != nil {
		return errors.Join(err, m.close())
	}
	m.batch = batch
	return nil
}

// onDevice calls work with the device of the model, which stays open. One call at a time uses it.
func (m *Model) onDevice(work func(dev device.Device) error) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dev == nil || m.devName != m.device {
		if err := m.close(); err != nil {
			return err
		}
		if m.dev, err = openDevice(m.device); err != nil {
			return err
		}
		m.devName = m.device
	}
	return work(m.dev)
}

// openDevice opens a device by a name as in Options.Device.
func openDevice(name string) (device.Device, error) {
	dev, err := device.Open(name)
	if err != nil {
		return nil, &InputError{Option: "device", Err: err}
	}
	return dev, nil
}
