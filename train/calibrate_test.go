package train

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// failing is a device that a test can lose.
type failing struct {
	device.Device
	lost bool
}

func (d *failing) Gather(dst, src, rows *device.Tensor) {
	if d.lost {
		panic(&device.FaultError{Device: d.Name(), Op: "Gather", Err: errors.New("lost")})
	}
	d.Device.Gather(dst, src, rows)
}

// lasting is a Reporter that loses a failing device at the end of the training.
type lasting struct {
	quiet
	device *failing
}

func (l *lasting) End() { l.device.lost = true }

// A trained model is kept if its validation rows, or the rows for its intervals, cannot be predicted.
func TestModelAfterCalibration(t *testing.T) {
	for _, words := range []string{"validation=0.2 eval-every=5", "conformal=true"} {
		c, dev := config(t, "steps=5 batch=20 inducing=9 features=7 "+words), &failing{Device: openCPU(t)}
		heard := &lasting{device: dev}
		job := &Job{Config: c, Device: dev, Reporter: heard}
		var err error
		job.Train, job.Conformal, _, err = c.HoldOutConformal(table(t, 90, 1, wave))
		must.OK(t, err)
		job.Train, job.Validation, _, err = c.HoldOut(job.Train, data.ReadControl{})
		must.OK(t, err)
		out, err := job.Run(t.Context())
		if notes := strings.Join(heard.notes, "\n"); err != nil ||
			!strings.Contains(notes, "warning: the model is kept") ||
			out.Trained.Parameters == nil || job.Validation != nil && out.Config.Temperature != 1 {
			t.Errorf("%s: %v, and the notes are %s", words, err, notes)
		}
	}
}

// A classifier that is less sure than it could be gets a temperature by its validation rows. It holds in each way to
// predict, and in the model file, and helps on rows that neither saw.
func TestCalibrate(t *testing.T) {
	learns(t)
	for _, likelihood := range []string{"softmax", "bernoulli"} {
		target := rings
		if likelihood == "bernoulli" {
			target = disc
		}
		out, _ := fitHeldOut(t, "steps=150 batch=50 inducing=20 features=20 validation=0.2 likelihood="+likelihood,
			table(t, 900, 1, target))
		trained, temperature := out.Trained, out.Trained.Config.Temperature
		if !(temperature > 0 && temperature < 1) || out.Config.Temperature != temperature {
			t.Fatalf("%s: temperature %g, and %g in the config", likelihood, temperature, out.Config.Temperature)
		}
		fresh := table(t, 500, 2, target)
		with := evaluate(t, out, fresh).Classification.NLL
		dev := openCPU(t)
		p := must.Get(trained.Predict(context.Background(), dev, fresh, 9))(t)
		predictor := must.Get(trained.NewPredictor(dev, 512, 9))(t)
		x, _, err := trained.Rows(context.Background(), fresh)
		must.OK(t, err)
		part := must.Get(predictor.Predict(context.Background(), fresh.N(), x))(t)
		plain := *trained
		plain.Config.Temperature = 0
		q := must.Get(plain.Predict(context.Background(), dev, fresh, 9))(t)
		for i, h := range q.H {
			if want := h / temperature; math.Abs(p.H[i]-want) > 1e-12*math.Abs(want) || part.H[i] != p.H[i] {
				t.Fatalf("%s: logits %g and %g of %g at temperature %g", likelihood, p.H[i], part.H[i], h, temperature)
			}
		}
		out.Trained = reread(t, trained)
		if again := evaluate(t, out, fresh).Classification.NLL; again != with {
			t.Errorf("%s: NLL %g from the model file, not %g", likelihood, again, with)
		}
		out.Trained = &plain
		if without := evaluate(t, out, fresh).Classification.NLL; with >= without {
			t.Errorf("%s: NLL %g with the temperature, %g without", likelihood, with, without)
		}
	}
}

// Rows that show no need leave the temperature as it is. Numbers of which a model is too sure get one above 1.
func TestTemperatureByNeed(t *testing.T) {
	learns(t)
	out, _ := fitHeldOut(t, "steps=30 batch=50 inducing=9 features=9 validation=0.2", table(t, 200, 1, coin))
	if out.Trained.Config.Temperature != 0 || out.Config.Temperature != 1 {
		t.Errorf("coins: temperature %g, and %g in the config", out.Trained.Config.Temperature, out.Config.Temperature)
	}
	out, _ = fitHeldOut(t, "steps=900 batch=50 inducing=60 features=60 objective=predictive kl-weight=0.03 "+
		"validation=0.4 restore=last", table(t, 150, 1, wave))
	temperature, fresh := out.Trained.Config.Temperature, table(t, 400, 2, wave)
	if !(temperature > 1) {
		t.Fatalf("numbers: temperature %g", temperature)
	}
	with := evaluate(t, out, fresh).Regression
	out.Trained.Config.Temperature = 0
	without := evaluate(t, out, fresh).Regression
	if with.NLPD >= without.NLPD || with.RMSE != without.RMSE || with.Coverage90 <= without.Coverage90 {
		t.Errorf("numbers: %+v with the temperature, %+v without", with, without)
	}
	m := out.Trained.Config
	if m.Temperature = math.NaN(); m.Validate() == nil {
		t.Error("a temperature that is not a number is valid")
	}
}

// The search for a temperature does not copy the logits of many classes at each try.
func TestTemperatureOfManyClasses(t *testing.T) {
	p := &model.Prediction{S: 20, N: 50, C: 500}
	p.H = make([]float64, p.S*p.N*p.C)
	rows := &data.Dataset{Task: data.Classification, Labels: make([]int32, p.N)}
	for i := range rows.Labels {
		rows.Labels[i] = int32(i)
		for k := range p.S {
			p.H[(k*p.N+i)*p.C+i] = 3
		}
	}
	trained := &fitted.Model{Schema: data.Schema{Task: data.Classification}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, _, _ := Scored{{trained, p, rows}}.FitTemperature()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; !(found < 1) || taken > uint64(8*len(p.H)) {
		t.Errorf("temperature %g takes %d bytes in all, of %d logits", found, taken, len(p.H))
	}
}
