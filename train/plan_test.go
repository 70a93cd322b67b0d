package train

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
)

// plans are runs that keep different buffers.
var plans = []testRun{
	{options: "model=gp inducing=9 q-cov=full lengthscales=ard whiten=false"},
	{options: "model=gp inducing=40 q-cov=diagonal lengthscales=isotropic batch=60"},
	{options: "model=drf features=7 layers=1 local-reparam=false spectra=prior-fixed samples=3"},
	{options: "model=drf features=70 layers=3 hidden=3 samples=2 chunk=25"},
	{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 lengthscales=ard"},
	{options: "model=gpdrf inducing=40 latents=3 features=300 layers=3 hidden=3 samples=2 q-cov=full " +
		"whiten=false spectra=var-fixed local-reparam=false"},
	{options: "model=gpdrf inducing=40 latents=3 features=300 layers=3 hidden=3 samples=2 validation=0.2"},
	{options: "model=drf features=7 layers=1 samples=3 chunk=10"},
	{options: "model=gpdrf inducing=9 latents=3 features=7 skip=true q-cov=full lengthscales=shared batch=33 chunk=10"},
	{options: "model=gpdrf inducing=9 latents=3 features=70 layers=2 hidden=3 samples=2 spectra=var-integrated " +
		"chunk=7 validation=0.3"},
	{options: "model=gp inducing=9 validation=0.2 restore=last natgrad=0.1"},
	{options: "model=gpdrf inducing=9 latents=3 features=7 batch=20", place: placement{rows: onHost}},
	{options: "model=drf features=7 batch=20 chunk=9", place: placement{rows: onHost}},
	{options: "model=gpdrf inducing=9 latents=3 features=7 q-cov=full natgrad=0.1"},
	{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 features-kernel=arccos2 spectra=prior-fixed " +
		"samples=2"},
	{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 features-kernel=matern12 natgrad=0.1 " +
		"q-cov=full whiten=false chunk=7 validation=0.2"},
	{options: "model=drf features=7 layers=2 features-kernel=arccos0 spectra=var-fixed-all-each local-reparam=false " +
		"samples=3"},
}

// likely are runs for one task only.
var likely = map[string][]testRun{
	"sequences": {{options: "model=gpdrf inducing=9 latents=3 features=7 kernel=spectrum:2/tfidf+double:1,2/linear " +
		"validation=0.2 chunk=25", place: distancesInSteps},
		{options: "model=gp inducing=9 kernel=spectrum:2 batch=60", place: distancesInSteps}},
	"regression": {{options: "model=gp inducing=9 likelihood=student-t samples=2"},
		{options: "model=gpdrf inducing=9 likelihood=heteroscedastic features=7 natgrad=0.3 kernel=rbf+matern12"}},
	"several": {{options: "model=gp inducing=9 likelihood=student-t q-cov=full natgrad=0.2"},
		{options: "model=gpdrf inducing=9 likelihood=heteroscedastic features=7 validation=0.2"},
		{options: "model=gp likelihood=heteroscedastic inducing=9 samples=3 chunk=4"}},
	"counts": {{options: "model=gp likelihood=poisson inducing=9"},
		{options: "model=drf likelihood=poisson features=7 layers=2 samples=2"},
		{options: "model=gp likelihood=negative-binomial inducing=9 chunk=7"},
		{options: "model=drf likelihood=negative-binomial features=7 batch=20 chunk=9",
			place: placement{rows: onHost}}},
	"levels": {{options: "model=gp likelihood=ordinal inducing=9 validation=0.2"},
		{options: "model=drf likelihood=ordinal features=7 batch=20", place: placement{rows: onHost}}},
}

// testPlan compares what a run is planned to take with what its device has given it after two steps.
func testPlan(t *testing.T, name string, plans []testRun) {
	for _, task := range []struct {
		name string
		set  *data.Dataset
	}{{"regression", table(t, 60, 1, wave)}, {"softmax", table(t, 60, 3, rings)},
		{"sequences", genes(t, 60, 5)}, {"several", several(t)},
		{"counts", weighted(table(t, 60, 1, wave), true)}, {"levels", weighted(table(t, 60, 3, rings), false)}} {
		runs := slices.Concat(plans, likely[task.name])
		if slices.Contains([]string{"several", "counts", "levels"}, task.name) {
			runs = likely[task.name]
		}
		for i, c := range runs {
			options := c.options
			if task.name == "sequences" && i > 0 { // the choice of a kernel takes long each time
				options = "kernel=spectrum:2 " + options
			}
			t.Run(task.name+" "+options, func(t *testing.T) {
				j := jobOf(t, options+" steps=5")
				var err error
				dev := mustOpen(t, name)
				defer dev.Close()
				j.Train, j.Validation, _, err = j.Config.HoldOut(task.set, data.ReadControl{})
				must.OK(t, err)
				j.Device, j.place = dev, c.place
				run := j.newRun()
				p := must.Get(planned(t, run))(t)
				must.OK(t, run.usePlan(p))
				must.OK(t, run.prepare(t.Context()))
				run.doStep(1)
				run.doStep(2)
				must.Get(run.step.Model.ReadELBO(1))(t)
				if run.validator != nil {
					must.OK(t, run.validator.evaluate(2))
				}
				if taken := dev.Taken(); taken != p.Total {
					t.Errorf("%d bytes are taken, %d were planned", taken, p.Total)
				}
				sum := int64(0)
				for _, b := range p.Buffers {
					sum += b.Bytes
					if b.Name == "" || b.Group == "" || !strings.HasPrefix(b.Name, "host.") &&
						strings.Contains(b.Name, "owner") {
						t.Errorf("a buffer without a name: %+v", b)
					}
					if elements, size := int64(device.Volume(b.Shape)), map[string]int64{"f32": 4, "f64": 8,
						"i32": 4}[b.Type]; b.Shape != nil && b.Bytes != elements*size {
						t.Errorf("%+v: %d elements", b, elements)
					}
				}
				if sum != p.Total+p.Host {
					t.Errorf("the buffers have %d bytes, the sums say %d", sum, p.Total+p.Host)
				}
				if run.trained == nil { // what the run holds stays until here
					t.Fail()
				}
			})
		}
	}
}

func TestPlanIsWhatARunTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other trainings are tested")
	}
	testPlan(t, "cpu:f32", plans)
	testPlan(t, "cpu:f64", plans)
}

// small is a device with little memory.
type small struct {
	device.Device
	free int64
}

func (d *small) Free() (int64, bool) { return d.free, true }

func (d *small) Name() string { return "cpu:small" }

// counting is a device with a limit on the numbers of one tensor.
type counting struct {
	device.Device
	most   int
	ledger *device.Ledger
}

func (d *counting) Name() string        { return "cuda:small" }
func (d *counting) Free() (int64, bool) { return 1 << 40, true }

func (d *counting) Dry() (device.Device, *device.Ledger) {
	dry, ledger := d.Device.Dry()
	return &counting{dry, d.most, ledger}, ledger
}

func (d *counting) New(dtype device.DType, shape ...int) *device.Tensor {
	t := d.Device.New(dtype, shape...)
	if t.Len() > d.most {
		d.ledger.Exceed()
	}
	return t
}

// What a device cannot count at once goes through in chunks, and where even one row is too much the error says so.
func TestPlanCounts(t *testing.T) {
	dev := mustOpen(t, "cpu:f64")
	defer dev.Close()
	set := table(t, 200, 1, wave)
	plan := func(most int) (*memory.Plan, error) {
		c := config(t, "model=gpdrf inducing=9 latents=3 features=20 samples=30 steps=6 "+
			"batch=100 lengthscales=shared device=cpu:f64")
		return planned(t, (&Job{Config: c, Device: &counting{dev, most, nil}, Train: set}).newRun())
	}
	if p, err := plan(1 << 20); err != nil || p.Rows != 100 {
		t.Errorf("at most a million numbers: %v, %v", p, err)
	}
	if p, err := plan(4500); err != nil || p.Rows < 2 || p.Rows > 50 { // F has 90 numbers a row
		t.Errorf("at most 4500 numbers: %v, %v", p, err)
	}
	if _, err := plan(50); err == nil || !strings.Contains(err.Error(),
		"cuda:small counts 2³¹ − 1 numbers in one operation at most: even one row at a time has more") {
		t.Errorf("at most 50 numbers: %v", err)
	}
}

// A run that does not fit goes through its batches in as many rows as fit, and ends where the whole ends.
func TestRunInChunks(t *testing.T) {
	set := table(t, 60, 1, wave)
	run := func(options string, free int64) (*Outcome, []string) {
		c := config(t, "model=gpdrf inducing=9 latents=3 features=200 layers=2 hidden=3 samples=3 w-cov=diagonal "+
			"steps=6 batch=50 device=cpu:f64 "+options)
		dev := mustOpen(t, c.Device)
		defer dev.Close()
		report := &quiet{}
		out, err := (&Job{Config: c, Device: &small{dev, free}, Train: set, Started: time.Now(),
			Reporter: report}).Run(t.Context())
		must.OK(t, err)
		return out, report.notes
	}
	whole, _ := run("", 1<<40)
	if c := whole.Config; c.Chunk != 0 {
		t.Errorf("chunk is %d where the memory is enough", c.Chunk)
	}
	parts, notes := run("", 7<<18)
	if c := parts.Config; c.Chunk < 1 || c.Chunk >= 50 ||
		!strings.Contains(strings.Join(notes, "\n"), "rows at a time, with the same result") {
		t.Errorf("chunk %d, %q", c.Chunk, notes)
	}
	forced, _ := run("chunk=7", 1<<40)
	for _, other := range []*Outcome{parts, forced} {
		for i, block := range whole.Trained.Parameters {
			for k, v := range block.Data {
				if math.Abs(other.Trained.Parameters[i].Data[k]-v) > 1e-6*(1+math.Abs(v)) {
					t.Fatalf("%s is %v, of the whole %v", block.Name, other.Trained.Parameters[i].Data[k], v)
				}
			}
		}
	}
}

// Where not one row fits, the error names the largest part and sizes that would fit, and they do.
func TestPlanThatDoesNotFit(t *testing.T) {
	set := table(t, 60, 1, wave)
	dev := openCPU(t)
	plan := func(options string, free int64) (*memory.Plan, error) {
		c := config(t, "model=gpdrf inducing=50 latents=3 batch=20 steps=5 features=50 w-cov=diagonal "+options)
		return planned(t, (&Job{Config: c, Device: &small{dev, free}, Train: set}).newRun())
	}
	for _, c := range []struct {
		options string
		free    int64
		want    string
	}{
		{"samples=60000", 8 << 20,
			`even one row at a time needs [0-9.]+ MiB where 8.0 MiB are free, the largest part, ` +
				`features and moments, layer 1, [0-9.]+ MiB: what fits is --set samples=[0-9]+`},
		{"features=900000", 8 << 20, `: what fits is --features [0-9]+$`},
		{"q-cov=full lengthscales=ard", 900 << 10, `: what fits is --inducing [0-9]+`},
		{"features=900000 samples=60000", 2 << 20, `: what fits is --set samples=1 --features [0-9]+$`},
		{"features=100 chunk=20 samples=200", 4 << 20,
			`a step of 20 rows at a time needs .*: what fits is --set chunk=[0-9]+, or --set samples=[0-9]+`},
		{"", 1000, `: it is too little for the smallest model`},
	} {
		p, err := plan(c.options, c.free)
		var usage *usererror.Error
		if p == nil || !errors.As(err, &usage) || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s in %d: %v", c.options, c.free, err)
			continue
		}
		for _, remedy := range regexp.MustCompile(`(--(set )?[a-z]+[ =][0-9]+ ?)+`).FindAllString(err.Error(), -1) {
			options := c.options
			for _, word := range regexp.MustCompile(`[a-z]+[ =][0-9]+`).FindAllString(remedy, -1) {
				options += " " + strings.ReplaceAll(word, " ", "=")
			}
			if _, err := plan(options, c.free); err != nil {
				t.Errorf("%s: does not fit: %v", remedy, err)
			}
		}
	}
	if !slices.IsSortedFunc([]int{memory.Largest(10, func(n int) bool { return n <= 4 }),
		memory.Largest(0, nil)}, func(a, b int) int { return b - a }) {
		t.Error("largest")
	}
}

// shared is a device whose memory another program takes a part of when a run makes its tensor number at.
type shared struct {
	device.Device
	memory, other int64
	at            int
}

func (d *shared) Name() string { return "cpu:shared" }

func (d *shared) Free() (int64, bool) { return d.memory - d.Taken(), true }

func (d *shared) New(dtype device.DType, shape ...int) *device.Tensor {
	if d.at--; d.at == 0 {
		d.memory -= d.other
		panic(&device.FaultError{Device: d.Name(), Op: "New", Err: errors.New("no memory"),
			Bytes: 8 * int64(device.Volume(shape))})
	}
	return d.Device.New(dtype, shape...)
}

// Memory that ran out is explained by what fits when the failed run no longer holds any.
func TestExhaustedMemory(t *testing.T) {
	set := table(t, 60, 1, wave)
	options := "model=gpdrf inducing=9 latents=3 features=200 layers=2 hidden=3 samples=3 " +
		"steps=6 batch=50 device=cpu:f64"
	open := func(memory int64, at int) *shared {
		dev := mustOpen(t, "cpu:f64")
		t.Cleanup(func() { dev.Close() })
		return &shared{dev, memory, 10 << 20, at}
	}
	plan := func(options string, memory int64) *memory.Plan {
		return must.Get(planned(t, (&Job{Config: config(t, options), Device: open(memory, 0), Train: set}).newRun()))(t)
	}
	half := plan(options+" chunk=25", 1<<40)
	left := (half.Total + half.Host) * memory.SpareOfHost / (memory.SpareOfHost - 1)
	fits := plan(options, left).Rows
	for _, at := range []int{5, 20, 30} {
		dev := open(10<<20+left, at)
		_, err := (&Job{Config: config(t, options), Device: dev, Train: set, Started: time.Now(),
			Reporter: &quiet{}}).Run(t.Context())
		if want := fmt.Sprintf("with what is free now, %d rows at a time fit: try once more",
			fits); dev.Taken() == 0 || !strings.HasSuffix(errorText(err), want) {
			t.Errorf("tensor %d: %v, want %s", at, err, want)
		}
	}
}

// A prediction that does not fit says how many samples do, and they do.
func TestPredictionTooLarge(t *testing.T) {
	set := table(t, 60, 1, wave)
	trained := mustFit(t, "model=drf features=7 spectra=var-fixed steps=3", set).Trained
	dev := openCPU(t)
	little := &small{dev, 1 << 20}
	_, err := trained.Predict(t.Context(), little, set, 60000)
	var usage *usererror.Error
	found := regexp.MustCompile(`^cpu:small has too little memory: the prediction of 60 rows with ` +
		`60000 samples needs .* the largest part, prediction \[60000,60,1\], 27\.5 MiB: what ` +
		`fits is --samples ([0-9]+), or fewer rows$`).FindStringSubmatch(errorText(err))
	if !errors.As(err, &usage) || found == nil {
		t.Fatal(err)
	}
	samples, _ := strconv.Atoi(found[1])
	if _, err := trained.Predict(t.Context(), little, set, samples); err != nil {
		t.Errorf("%d samples: %v", samples, err)
	}
	if _, err := trained.Predict(t.Context(), little, set, samples+1); err == nil {
		t.Errorf("%d samples fit, too", samples+1)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// several returns a table of three targets.
func several(t *testing.T) *data.Dataset {
	var b strings.Builder
	b.WriteString("a,x,y,z\n")
	for i := range 60 {
		v := float64(i)
		fmt.Fprintf(&b, "%g,%g,%g,%g\n", math.Sin(v), math.Cos(v), math.Sin(3*v), v+.5)
	}
	return readText(t, "several.csv", b.String(), data.ReadOptions{Target: "x,y,z"})
}
