package options

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

func init() { usererror.DashOptions() } // messages are as the command prints them

// flags turns "--key value" words into settings, as the command line does.
func flags(words ...string) (settings []Setting) {
	for i := 0; i+1 < len(words); i += 2 {
		key, from := strings.TrimPrefix(words[i], "--"), words[i]
		if o := Find(key); o != nil && !o.Flag {
			from = BySet
		}
		settings = append(settings, Setting{key, words[i+1], from})
	}
	return settings
}

func mustResolve(t *testing.T, file, flags []Setting) Config {
	t.Helper()
	c := must.Get(Resolve(file, flags))(t)
	return c
}

func mustParse(t *testing.T, text string) []Setting {
	t.Helper()
	s := must.Get(ParseYAML("run.yaml", []byte(text)))(t)
	return s
}

// Every field of Config is an option, and every option has a field of its own.
func TestOptionsCoverConfig(t *testing.T) {
	c := &Config{}
	fields := map[any]string{}
	for _, o := range c.Options() {
		if other, taken := fields[o.value]; taken {
			t.Errorf("%s and %s share a field", o.Key, other)
		}
		fields[o.value] = o.Key
		if o.Help == "" || o.Group == "" {
			t.Errorf("%s has no help or group", o.Key)
		}
		if len(o.Help) > 450 {
			t.Errorf("%s: the help has %d bytes: give the details in a page of docs", o.Key, len(o.Help))
		}
		if o.Arg == "" && o.Values == nil && !o.IsBool() && !o.OmitUnset {
			t.Errorf("%s: nothing says what value it takes", o.Key)
		}
	}
	v := reflect.ValueOf(c).Elem()
	// fields that are no options; those of Roles are looked at by themselves
	others := []string{"At", "Distances", "Inputs", "Kernel", "Outputs", "Levels", "Maps", "Roles"}
	for _, part := range []reflect.Value{v, v.FieldByName("Roles")} {
		for _, f := range reflect.VisibleFields(part.Type()) {
			if !f.IsExported() || f.Anonymous || slices.Contains(others, f.Name) {
				continue
			}
			if _, ok := fields[part.FieldByIndex(f.Index).Addr().Interface()]; !ok {
				t.Errorf("Config.%s has no option", f.Name)
			}
		}
	}
}

func TestPrecedence(t *testing.T) {
	file := "preset: paper\nbatch: 64\nlr: 1e-3\n"
	for _, c := range []struct {
		name, file  string
		flags       []string
		key, want   string
		notExplicit bool
	}{
		{name: "default", key: "batch", want: "256", notExplicit: true},
		{name: "preset beats default", flags: []string{"--preset", "paper"}, key: "batch", want: "1",
			notExplicit: true},
		{name: "preset in the file", file: "preset: paper\n", key: "samples", want: "100", notExplicit: true},
		{name: "file beats preset", file: file, key: "batch", want: "64"},
		{name: "flag beats file", file: file, flags: []string{"--batch", "32"}, key: "batch", want: "32"},
		{name: "flag's preset beats file's preset", file: file, flags: []string{"--preset", "default"}, key: "samples",
			want: "1", notExplicit: true},
		{name: "but not the file's options", file: file, flags: []string{"--preset", "default"}, key: "batch",
			want: "64"},
		{name: "exponents", file: file, key: "lr", want: "0.001"},
		{name: "a removed preset of a run", file: "preset: cutajar\nfreeze-kernel: 24\n", key: "freeze-kernel",
			want: "24"},
		{name: "a switch off", file: "whiten: true\n", flags: []string{"--whiten", "false"}, key: "whiten",
			want: "false"},
	} {
		cfg := mustResolve(t, mustParse(t, c.file), flags(c.flags...))
		if got := cfg.Text(c.key); got != c.want || cfg.Explicit(c.key) == c.notExplicit {
			t.Errorf("%s: %s = %s (explicit %v), want %s", c.name, c.key, got, cfg.Explicit(c.key), c.want)
		}
	}
}

// The last level that gives a length of training counts.
func TestLengthOfTraining(t *testing.T) {
	for _, c := range []struct {
		file  string
		flags []string
		steps int
		plan  string
	}{
		{"", nil, Defaults().Steps, ""},
		{"", []string{"--preset", "paper"}, 1000 * 500, "1000 epochs"},
		{"", []string{"--preset", "paper", "--steps", "70"}, 70, ""},
		{"epochs: 2\n", nil, 4, "2 epochs"},
		{"epochs: 2\n", []string{"--steps", "9"}, 9, ""},
		{"steps: 9\nplanned-for: 10m0s\n", nil, 9, "10m0s"},
		{"planned-for: 10m0s\nsteps: 9\n", nil, 9, "10m0s"},
		{"steps: 9\nplanned-for: 10m0s\n", []string{"--steps", "8"}, 8, ""},
		{"steps: 9\n", []string{"--epochs", "0.5"}, 1, "0.5 epochs"},
	} {
		cfg := mustResolve(t, mustParse(t, c.file), flags(c.flags...))
		must.Get(cfg.resolveRows(500))(t)
		if cfg.Steps != c.steps || cfg.PlannedFor != c.plan || cfg.Epochs != 0 || cfg.TimeLimit != 0 {
			t.Errorf("%q %v: steps %d, planned for %q, epochs %g", c.file, c.flags, cfg.Steps,
				cfg.PlannedFor, cfg.Epochs)
		}
	}
	cfg := mustResolve(t, nil, flags("--time-limit", "90s"))
	if _, err := cfg.resolveRows(500); err != nil || cfg.Steps != 0 || cfg.TimeLimit.Seconds() != 90 {
		t.Errorf("a time limit is for the trainer to plan: %d steps, %v, %v", cfg.Steps, cfg.TimeLimit, err)
	}
}

func TestFitShrinksDefaultsAndRefusesTheRest(t *testing.T) {
	cfg := mustResolve(t, nil, flags("--steps", "50"))
	notes, err := cfg.resolveRows(40)
	if err != nil || cfg.Batch != 40 || cfg.Inducing != 40 || cfg.Warmup != 5 || len(notes) != 3 {
		t.Fatalf("batch %d, inducing %d, warmup %d, notes %q, %v", cfg.Batch, cfg.Inducing, cfg.Warmup, notes, err)
	}
	if again, _ := cfg.resolveRows(40); len(again) != 0 {
		t.Errorf("a Config that fits has no notes, got %q", again)
	}
	for _, c := range []struct{ flag, want string }{
		{"--batch", "--batch: 41 is more than the 40 training rows"},
		{"--inducing", "--inducing: 41 is more than the 40 training rows"},
	} {
		err := mustResolve(t, nil, flags(c.flag, "41")).CheckRows(40)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.flag, err)
		}
	}
	short := mustResolve(t, nil, nil)
	must.Contain(t, strings.Join(short.setSteps(1, ""), "\n")+"\n", "warmup: 100 → 0, for a run of 1 step\n")
	if cfg := mustResolve(t, nil, flags("--warmup", "30", "--steps", "40")); len(cfg.setSteps(40,
		"")) != 0 || cfg.Warmup != 30 {
		t.Errorf("an explicit warm-up shrank to %d", cfg.Warmup)
	}
	if cfg := mustResolve(t, nil, flags("--model", "drf")); cfg.Inducing != 200 {
		t.Fatal("changed default")
	} else if notes, _ := cfg.resolveRows(40); len(notes) != 1 {
		t.Errorf("drf has no inducing points to speak of, got %q", notes)
	}
	if err := mustResolve(t, nil, flags("--epochs", "1e9")).CheckRows(5000); err == nil {
		t.Error("more steps than the counters hold")
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		file  string
		flags []string
		want  string
	}{
		{"stepz: 4\n", nil, `run.yaml:1:1: unknown key "stepz": did you mean "steps"?`},
		{"zzzzzz: 4\n", nil, `run.yaml:1:1: unknown key "zzzzzz": see gpdrf-gpu help train --all`},
		{"lr: 1\n\n  \nlr: 2\n", nil, `run.yaml:4:1: key "lr" is already on line 1`},
		{"batch: abc\n", nil, `run.yaml:1:8: batch: "abc" is not a whole number`},
		{"batch: 2.5\n", nil, `run.yaml:1:8: batch: "2.5" is not a whole number`},
		{"batch: [1]\n", nil, `run.yaml:1:8: batch takes one value, not a list, a mapping or an alias`},
		{"seed: &a 1\nbatch: *a\n", nil, `run.yaml:2:8: batch takes one value, not a list, a mapping or an alias`},
		{"batch:\n", nil, `run.yaml:1:7: batch has no value: give one, or leave the line out`},
		{"model: gpdfr\n", nil, `run.yaml:1:8: model: "gpdfr" is none of the values gpdrf, gp, drf: ` +
			`did you mean "gpdrf"?`},
		{"whiten: maybe\n", nil, `run.yaml:1:9: whiten: "maybe" is neither true nor false`},
		{"lr: .nan\n", nil, `run.yaml:1:5: lr: ".nan" is not a number`},
		{"- lr\n", nil, `run.yaml:1:1: expected lines of the form "key: value"`},
		{"lr: 1\n---\nlr: 1\n", nil, `run.yaml: more than one YAML document`},
		{"lr: 1\n  x: 2\n", nil, `run.yaml:2: not YAML: mapping values are not allowed in this context`},
		{"lr: \"1\n", nil, `run.yaml:2: not YAML: found unexpected end of stream`},
		{"steps: 3\nepochs: 2\n", nil,
			`run.yaml:2:9: epochs: give only one of steps, epochs and time-limit; steps is given, too`},
		{"model: gp\nlayers: 2\n", nil,
			`run.yaml:2:9: layers: model gp has no such option: leave it out, or use model gpdrf or drf`},
		{"layers: 2\n", []string{"--model", "gp"},
			`run.yaml:1:9: layers: model gp has no such option: leave it out, or use model gpdrf or drf`},
		{"", []string{"--model", "drf", "--skip", "true"},
			`--set skip: model drf has no such option: leave it out, or use model gpdrf`},
		{"", []string{"--model", "gp", "--latents", "3"},
			`--set latents: model gp has no such option: leave it out, or use model gpdrf`},
		{"", []string{"--dof", "5"},
			"--set dof: it has no effect without likelihood student-t: leave it out, or give that"},
		{"", []string{"--learn-dof", "false"},
			"--set learn-dof: it has no effect without likelihood student-t: leave it out, or give that"},
		{"layers: 1\n", []string{"--hidden", "4"},
			"--set hidden: it has no effect without layers=2 or more: leave it out, or give that"},
		{"", []string{"--preset", "best", "--hidden", "4"},
			"--set hidden: it has no effect without layers=2 or more: leave it out, or give that"},
		{"", []string{"--preset", "best", "--likelihood", "gaussian", "--dof", "5"},
			"--set dof: it has no effect without likelihood student-t: leave it out, or give that"},
		{"", []string{"--spectra", "prior-fixed", "--freeze-omega", "2"},
			"--set freeze-omega: it has no effect without spectra other than prior-fixed: leave it out, or give that"},
		{"", []string{"--data", "a.csv", "--data-dir", "sets"},
			"--set data-dir: it has no effect without a named set as --data: leave it out, or give that"},
		{"", []string{"--steps", "5", "--time-limit", "1m"},
			`--time-limit: give only one of steps, epochs and time-limit; steps is given, too`},
		{"", []string{"--q-cov", "ful"}, `--set q-cov: "ful" is none of the values full, diagonal: ` +
			`did you mean "full"?`},
		{"", []string{"--likelihood", "normal"}, `--likelihood: "normal" is none of the values auto, ` +
			`gaussian, student-t, heteroscedastic, poisson, negative-binomial, lognormal, softmax, bernoulli, ordinal`},
		{"", []string{"--kernel", "matern"},
			`--kernel: "matern" is not a kernel: give one of matern12, matern32, matern52`},
		{"", []string{"--kernel", "spectrun:3"},
			`--kernel: "spectrun:3" is not a kernel: did you mean "spectrum"?`},
		{"", []string{"--kernel", "rbf+rbf+double:1,5"},
			`--kernel: "rbf+rbf+double:1,5" has too many parts: at most two kernels of vectors, or one with sequences`},
		{"", []string{"--kernel", "double:1"},
			`--kernel: "double:1" is not a kernel: double takes 2 numbers: write double:k,d, for example double:1,5`},
		{"", []string{"--kernel", "spectrum:3+spectrum:3"},
			`--kernel: "spectrum:3+spectrum:3" is not a kernel: spectrum:3 is given twice: remove one`},
		{"", []string{"--kernel", "double:1,5+"},
			`--kernel: "double:1,5+" has an empty part: write one kernel, or several with a + between them`},
		{"", []string{"--kernel", "auto+rbf"}, `--kernel: "auto+rbf" is a sum with auto in it: write auto alone`},
		{"", []string{"--kernel", "cosine"},
			`--kernel: "cosine" is not a kernel: use one of auto, rbf, matern12, matern32, ` +
				`matern52, A+B, MAPS, which are maps of sequences, graphs and trees: double, triple, ` +
				`spectrum, blended, gapped, mismatch, intersection, degree, placed, words, vertices, edges, ` +
				`wl, wledges, paths, graphlets, circular, atompairs, subtrees, partial`},
		{"", []string{"--kernel", "rbf+martern12"},
			`--kernel: "rbf+martern12" is not a kernel: did you mean "matern12"?`},
		{"", []string{"--kernel", "rbf+matern12+matern32"},
			`--kernel: "rbf+matern12+matern32" has too many parts: at most two kernels of ` +
				`vectors, or one with sequences`},
		{"model: drf\nkernel: rbf\n", nil,
			`run.yaml:2:9: kernel: model drf has no such option: leave it out, or use model gpdrf or gp`},
		{"", []string{"--preset", "papper"}, `--preset: "papper" is none of the values default, best, paper: ` +
			`did you mean "paper"?`},
		{"", []string{"--preset", "cutajar"},
			`--preset: "cutajar" is a config file now: give --config examples/cutajar.yaml`},
		{"", []string{"--spectra", "var-mixed"},
			`--spectra: "var-mixed" is none of the values ` +
				`var-integrated, prior-fixed, prior-fixed-each, var-fixed, var-fixed-each, var-fixed-all, ` +
				`var-fixed-all-each, var-resampled, var-resampled-each: did you mean "var-fixed"?`},
		{"", []string{"--time-limit", "ten"}, `--time-limit: "ten" is not a time: write 90s, 10m or 1h30m`},
		{"", []string{"--time-limit", "-1s"}, `--time-limit: "-1s" must be above 0`},
		{"", []string{"--seed", "-1"}, `--seed: "-1" is not a whole number from 0 to 18446744073709551615`},
		{"", []string{"--layers", "17"}, `--set layers: "17" must be between 1 and 16`},
		{"", []string{"--lr", "Inf"}, `--lr: "Inf" must be above 0 and at most 10`},
		{"", []string{"--lr", "1e30"}, `--lr: "1e30" must be above 0 and at most 10`},
		{"", []string{"--l2", "1e7"}, `--set l2: "1e7" must be between 0 and 1000000`},
		{"", []string{"--adam-beta1", "1"}, `--set adam-beta1: "1" must be at least 0 and below 1`},
		{"", []string{"--adam-eps", "1e-46"}, `--set adam-eps: "1e-46" must be between 1e-30 and 1000000`},
	} {
		file, err := ParseYAML("run.yaml", []byte(c.file))
		if err == nil {
			var resolved Config
			if resolved, err = Resolve(file, flags(c.flags...)); err == nil {
				err = resolved.CheckNeeds()
			}
		}
		var usage *usererror.Error
		if err == nil || err.Error() != c.want || !errors.As(err, &usage) {
			t.Errorf("%q %v:\n got %v\nwant %s", c.file, c.flags, err, c.want)
		}
	}
	if err := mustResolve(t, nil, flags("--preset", "best", "--dof", "5")).CheckNeeds(); err != nil {
		t.Errorf("candidates of a search have student-t: %v", err)
	}
	for key, bad := range map[string][]string{
		"steps": {"0", "-1", "1e3"}, "batch": {"0"}, "samples": {"0", "65536"}, "inducing": {"0"}, "features": {"0"},
		"hidden": {"0"}, "latents": {"0"}, "layers": {"0"}, "lr": {"0", "-1", "NaN"}, "kl-weight": {"-1", "NaN", "Inf"},
		"gp-lengthscale-factor": {"-1", "NaN"}, "drf-lengthscale-factor": {"-2", "Inf"}, "epochs": {"0", "NaN"},
		"kl-warmup": {"1.1", "-0.1"}, "noise-init": {"-1"}, "eval-samples": {"0"}, "l2": {"-1"}, "fold": {"-1"},
	} {
		for _, text := range bad {
			if _, err := Resolve(nil, flags("--"+key, text)); err == nil {
				t.Errorf("--%s %s was accepted", key, text)
			}
		}
	}
}

// ReadConfig reads the text of YAML back to the same options, whatever their values.
func TestConfigRoundTrip(t *testing.T) {
	for _, words := range [][]string{
		nil,
		{"--model", "gp", "--lengthscales", "ard", "--lr", "0.1234567890123456789"},
		{"--model", "drf", "--preset", "paper"},
		{"--preset", "paper", "--kl-weight", "1e-300"},
		{"--data", "true", "--test", "a b: \"c\" # d.csv", "--target", "017", "--ignore", "-\n\ttab ü"},
		{"--data", "spam", "--data-dir", "a\n\ttab ü", "--layers", "2", "--hidden", "3"},
		{"--seed", "18446744073709551615", "--time-limit", "1h3m"},
	} {
		want := mustResolve(t, nil, flags(words...))
		must.Get(want.resolveRows(1000))(t)
		path := filepath.Join(t.TempDir(), "config.yaml")
		must.OK(t, os.WriteFile(path, want.YAML(), 0o666))
		file := must.Get(ReadConfig(path))(t)
		got := mustResolve(t, file, nil)
		if notes, err := got.resolveRows(1000); err != nil || len(notes) > 0 {
			t.Errorf("%v: %q, %v", words, notes, err)
		}
		for _, o := range Options() {
			if o.Applies(want.Model) && got.Text(o.Key) != want.Text(o.Key) {
				t.Errorf("%v: %s came back as %s, was %s", words, o.Key, got.Text(o.Key), want.Text(o.Key))
			}
		}
	}
}

func TestReadConfigFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty.yaml": "", "comment.yaml": "# nothing\n",
		"big.yaml": strings.Repeat("#\n", maxConfigFile)} {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o666))
		settings, err := ReadConfig(path)
		if (err != nil) != (name == "big.yaml") || len(settings) > 0 {
			t.Errorf("%s: %v, %v", name, settings, err)
		}
	}
	var usage *usererror.Error
	if _, err := ReadConfig(filepath.Join(dir, "none.yaml")); !errors.As(err, &usage) {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("lr: 080\nl: ! ")
	f.Add("steps: 3\nsteps: 4")
	f.Add(string(Defaults().YAML()))
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := ParseYAML("f", []byte(text))
		if err != nil {
			return
		}
		c, err := Resolve(settings, nil)
		if err != nil {
			return
		}
		if again, err := ParseYAML("g", c.YAML()); err != nil {
			t.Fatalf("%v in\n%s", err, c.YAML())
		} else if d, err := Resolve(again, nil); err != nil || string(d.YAML()) != string(c.YAML()) {
			t.Fatalf("%v: came back as\n%s", err, d.YAML())
		}
	})
}

// An ordinal likelihood has a limit, which the error names.
func TestTooManyLevels(t *testing.T) {
	c := Defaults()
	c.Likelihood = model.OrdinalLikelihood
	ds := &data.Dataset{Task: data.Classification, Target: "y", Classes: make([]string, model.MaxLevels+1)}
	must.Contain(t, fmt.Sprint(c.resolveLikelihood(ds)), "1024 levels at most")
}

func TestBlanksInKernel(t *testing.T) {
	c := mustResolve(t, nil, flags("--kernel", "rbf + matern12"))
	if vectorKernels, _ := c.Kernels(); !slices.Equal(vectorKernels, []string{"rbf", "matern12"}) {
		t.Errorf("kernels %q", vectorKernels)
	}
}
