package best

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// wave returns n rows of a noisy function, or of two classes.
func wave(t *testing.T, n int, classes bool) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("x,z,target\n")
	for range n {
		x, z := 4*rng.Float64(), rng.Float64()
		y := fmt.Sprint(math.Sin(x) + 0.1*rng.NormFloat64())
		if classes {
			y = []string{"low", "high"}[min(1, int(max(0, 2*math.Sin(x)*math.Sin(x))))]
		}
		fmt.Fprintf(&b, "%g,%g,%s\n", x, z, y)
	}
	return read(t, "wave.csv", b.String())
}

// read reads a data file with the given name and text.
func read(t *testing.T, name, text string) *data.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o666))
	set, _, err := data.ReadFile(path, data.ReadOptions{})
	must.OK(t, err)
	return set
}

func settings(pairs string) (all []options.Setting) {
	for _, pair := range strings.Fields(pairs) {
		key, text, _ := strings.Cut(pair, "=")
		all = append(all, options.Setting{Key: key, Text: text, From: "--" + key})
	}
	return all
}

// searching returns a search whose models stay in memory, as files would.
func searching(t *testing.T, state *State, set *data.Dataset, models map[int][]byte, jobs int) *Search {
	t.Helper()
	var devices []device.Device
	for range jobs {
		dev := must.Get(device.Open("cpu:f32"))(t)
		t.Cleanup(func() { dev.Close() })
		devices = append(devices, dev)
	}
	return &Search{
		State: state, Devices: devices, Rows: set, Started: time.Now(),
		SaveState: func() error { return nil },
		SaveModel: func(k int, m *fitted.Model) error {
			var b bytes.Buffer
			err := m.WriteModel(&b)
			models[k] = b.Bytes()
			return err
		},
		LoadModel: func(k int) (*fitted.Model, error) {
			path := filepath.Join(t.TempDir(), rundir.MemberFile(k))
			if err := os.WriteFile(path, models[k], 0o666); err != nil {
				return nil, err
			}
			return fitted.ReadModel(path)
		},
		Note: func(string, ...any) {}, Phase: func(int, int, string) {},
	}
}

// oneAtATime skips a test of trainings one after the other where the race detector has TestSearch.
func oneAtATime(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the race detector looks at trainings side by side")
	}
}

func found(t *testing.T, s *Search) []byte {
	t.Helper()
	e := must.Get(s.Run(t.Context()))(t)
	var b bytes.Buffer
	must.OK(t, e.WriteModel(&b))
	return b.Bytes()
}

// The rounds try all candidates, then fewer, and the models of the ensemble are on all rows. A search that is ended
// after any trial, and continues from its state with two at a time, leaves the same bytes.
func TestSearch(t *testing.T) {
	for _, classes := range []bool{false, true} {
		if classes && testing.Short() {
			continue // the same goroutines
		}
		set, given := wave(t, 60, classes), settings("steps=16 inducing=8 features=6")
		state := must.Get(New(set, given, 2))(t)
		want := found(t, searching(t, state, set, map[int][]byte{}, 1))
		reached, total := map[int]int{}, 0.0
		for _, c := range state.Candidates {
			round, _, failure := c.reached()
			if reached[round]++; failure != "" {
				t.Errorf("%s: %s", c.Name, failure)
			}
			if total += c.Weight; (c.Weight > 0) != (c.Refit != nil) {
				t.Errorf("%s has the weight %g and the model %v", c.Name, c.Weight, c.Refit)
			}
		}
		if n := len(state.Candidates); reached[3] != finalists || reached[1] != n-(n+1)/2 || math.Abs(total-1) > 1e-9 {
			t.Errorf("%d candidates, of which %v reached each round; weights sum to %g", n, reached, total)
		}
		testGoesOn(t, set, given, want)
	}
}

func testGoesOn(t *testing.T, set *data.Dataset, given []options.Setting, want []byte) {
	t.Helper()
	state := must.Get(New(set, given, 2))(t)
	models, kept := map[int][]byte{}, []byte(nil)
	for ended := 0; ; ended++ {
		ctx, end := context.WithCancel(t.Context())
		s, saves := searching(t, state, set, models, 2), 0
		s.SaveState = func() (err error) {
			if kept, err = json.Marshal(state); err != nil {
				return err
			}
			if saves++; saves > ended { // the first call ends after one trial, the next after two, and so on
				end()
			}
			return nil
		}
		e, err := s.Run(ctx)
		end()
		if err == nil {
			var b bytes.Buffer
			if err := e.WriteModel(&b); err != nil || !bytes.Equal(b.Bytes(), want) {
				t.Errorf("ended %d times, the ensemble is another: %v", ended, err)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		state = &State{}
		must.OK(t, json.Unmarshal(kept, state))
	}
}

// The user's options hold for all candidates; options that no candidate can have are an error.
func TestCandidates(t *testing.T) {
	set := wave(t, 60, false)
	for given, want := range map[string]int{"": 17, "model=gp": 5, "kernel=matern32": 13,
		"likelihood=gaussian model=drf": 2, "model=gp kernel=matern52 likelihood=gaussian": 2,
		"objective=predictive": 9, "dof=5": 17, "hidden=32": 17} {
		state := must.Get(New(set, settings(given), 1))(t)
		names := []string{}
		for _, c := range state.Candidates {
			cfg := must.Get(c.config(state.Given))(t)
			for _, g := range settings(given) {
				if cfg.Text(g.Key) != g.Text && options.Find(g.Key).Applies(cfg.Model) &&
					(g.Key != "kernel" || cfg.Model != "drf") {
					t.Errorf("%s: %s has %s %s", given, c.Name, g.Key, cfg.Text(g.Key))
				}
			}
			names = append(names, c.Name)
		}
		if len(names) != want {
			t.Errorf("%q: %d candidates, expected %d: %v", given, len(names), want, names)
		}
	}
	if _, err := New(set, settings("batch=-3"), 1); !errors.As(err, new(*usererror.Error)) {
		t.Errorf("a batch of −3: %v", err)
	}
	if _, err := New(set, settings("model=drf inducing=7"), 1); !errors.As(err, new(*usererror.Error)) {
		t.Errorf("inducing points of drf: %v", err)
	}
}

// The objective that the rows would not have is a candidate.
func TestOtherObjective(t *testing.T) {
	for rows, want := range map[int]string{60: "gpdrf, predictive", 9000: "gpdrf, elbo"} {
		state := must.Get(New(wave(t, rows, false), nil, 1))(t)
		var names []string
		for _, c := range state.Candidates {
			if c.Name == "gpdrf, predictive" || c.Name == "gpdrf, elbo" {
				names = append(names, c.Name)
			}
		}
		if len(names) != 1 || names[0] != want {
			t.Errorf("%d rows: %v, want %s", rows, names, want)
		}
	}
}

// No two candidates are the same model of the rows, whatever the rows are.
func TestCandidatesDiffer(t *testing.T) {
	oneAtATime(t)
	labels := ">a|1\nACGTT\n>b|2\nTTGACA\n>c|1\nACGTA\n>d|2\nTTACA\n"
	numbers := "s,target\nACGTT,1.5\nTTGACA,2.5\nACGTA,0.5\nACGGA,1\n"
	own := wave(t, 60, false)
	own.Gram = &data.GramRows{M: 5}
	for name, set := range map[string]*data.Dataset{
		"numbers": wave(t, 3000, false), "numbers with tails": wave(t, 60, false),
		"classes": wave(t, 3000, true), "a kernel of one's own": own,
		"sequences": read(t, "a.fasta", labels), "sequences with a number": read(t, "a.csv", numbers),
	} {
		var given []options.Setting
		if name == "numbers with tails" {
			given = settings("likelihood=student-t")
		}
		state := must.Get(New(set, given, 1))(t)
		seen := map[string]string{}
		for _, c := range state.Candidates {
			cfg, err := c.config(given)
			if err == nil {
				cfg, _, err = cfg.ResolveFor(t.Context(), set)
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", name, c.Name, err)
			}
			text := string(cfg.YAML())
			if twin, ok := seen[text]; ok {
				t.Errorf("%s: %s and %s are the same", name, twin, c.Name)
			}
			seen[text] = c.Name
		}
	}
}

// The rows that the last round holds out fit the temperature of a candidate, and its model on all rows has it: the
// geometric mean. A given one stays.
func TestTemperature(t *testing.T) {
	oneAtATime(t)
	set := wave(t, 60, true)
	for given, want := range map[string]float64{"": 0, " temperature=3": 3} {
		state := must.Get(New(set, settings("steps=16 inducing=8 features=6"+given), 1))(t)
		s := searching(t, state, set, map[int][]byte{}, 1)
		found(t, s)
		for k, c := range state.Candidates {
			mean, n := 0.0, 0.0
			for _, trial := range c.Trials {
				if fits := trial.Round == rounds && want == 0; (trial.Temperature > 0) != fits {
					t.Errorf("%s, round %d: temperature %g", c.Name, trial.Round, trial.Temperature)
				}
				if trial.Temperature > 0 {
					mean, n = mean+math.Log(trial.Temperature), n+1
				}
			}
			if c.Weight == 0 {
				continue
			}
			m := must.Get(s.LoadModel(k))(t)
			expected := want
			if mean != 0 {
				expected = math.Exp(mean / n)
			}
			if is := m.Config.Temperature; math.Abs(is-expected) > 1e-12 {
				t.Errorf("%s: the model has temperature %g, want %g", c.Name, is, expected)
			}
		}
	}
	c := Candidate{Trials: []Trial{{Round: 3, Temperature: 4}, {Round: 3, Temperature: 1}, {Round: 2}}}
	if o := c.temperature(); o[0].Text != "2" {
		t.Errorf("the mean of 4 and 1 is %q", o[0].Text)
	}
}

// A candidate without rivals trains as it would without the search: it chooses its objective, and its steps, by rows
// that are held out.
func TestCandidateWithoutRivals(t *testing.T) {
	set, given := wave(t, 60, true), settings("model=gp kernel=rbf objective=auto steps=640 inducing=8")
	state := must.Get(New(set, given, 1))(t)
	must.Equal(t, len(state.Candidates), 1)
	models := map[int][]byte{}
	s := searching(t, state, set, models, 1)
	found(t, s)
	cfg := must.Get(options.Resolve(given, nil))(t)
	cfg.Device, cfg.Target, cfg.Task = s.Devices[0].Name(), set.Target, string(set.Task)
	out := must.Get((&train.Job{Config: cfg, Device: s.Devices[0], Train: set,
		Started: time.Now()}).Run(t.Context()))(t)
	var b bytes.Buffer
	must.OK(t, out.Trained.WriteModel(&b))
	if n := state.Candidates[0].Refit.Steps; n != out.Steps || n == 640 || !bytes.Equal(models[0], b.Bytes()) {
		t.Errorf("%d steps in a search, %d without, or other models", n, out.Steps)
	}
}

// A candidate that fails costs itself alone. Where all fail, the error gives the reason, or the default has all that is
// left of a time limit.
func TestFailures(t *testing.T) {
	oneAtATime(t)
	set := wave(t, 60, false)
	state := must.Get(New(set, settings("steps=16 inducing=8 features=6"), 1))(t)
	state.Candidates[0].Trials = []Trial{{Round: 1, Fold: 1, Failure: "numbers ran away"}}
	found(t, searching(t, state, set, map[int][]byte{}, 1))
	if c := state.Candidates[0]; c.Weight != 0 || len(c.Trials) != 1 {
		t.Errorf("a candidate that failed: %+v", c)
	}
	for i := range state.Candidates {
		state.Candidates[i] = Candidate{Name: "one", Trials: []Trial{{Round: 1, Fold: 1, Failure: "numbers ran away"}}}
	}
	if _, err := searching(t, state, set, nil, 1).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "numbers ran away") {
		t.Errorf("all failed: %v", err)
	}
	s := searching(t, state, set, nil, 1)
	s.Limit = time.Minute
	var said string
	s.Note = func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
	if err := s.round(t.Context(), 2); err != nil || s.Candidates[0].Weight != 1 ||
		said != "no candidate could be trained: one: numbers ran away: one is trained alone" {
		t.Errorf("all failed in a time limit: %v, %s, %+v", err, said, s.Candidates[0])
	}
	if lines := s.Lines(); !strings.HasSuffix(lines[1],
		"ran away; no other could be compared, so it was trained alone") {
		t.Errorf("all failed in a time limit: %s", lines[1])
	}
}

// A trial trains on four fifths of the rows. The first rounds score a sample of the last fifth, which is the same for
// all candidates.
func TestSplit(t *testing.T) {
	for rows, want := range map[int][3]int{60: {12, 12, 12}, 6000: {scoredRows, scoredRows, 1200}} {
		s := &Search{State: &State{}, Rows: wave(t, rows, false)}
		for round := 1; round <= rounds; round++ {
			rest, held := s.split(round, 2)
			if _, again := s.split(round, 2); again.Fingerprint != held.Fingerprint {
				t.Errorf("%d rows, round %d: another sample", rows, round)
			}
			if rest.N() != rows*4/5 || held.N() != want[round-1] {
				t.Errorf("%d rows, round %d: %d to train on, %d to score", rows, round, rest.N(), held.N())
			}
		}
	}
}
