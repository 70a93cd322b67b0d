// These tests compare distances of a table with those that each step computes.

package train

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
)

// compared returns sequences by the options of a model that compares them with X̄.
func compared(t testing.TB) map[string]*data.Dataset {
	short := "1\tACGTACG\n0\tTTGTTG\n1\tGACGACC\n0\tTTTGTT\n"
	return map[string]*data.Dataset{
		"model=gpdrf inducing=30 latents=3 features=7 " +
			"kernel=double:1,3/tfidf+spectrum:3/linear+gapped:5,2/sqrt batch=17 chunk=5 validation=0.3 " +
			"eval-every=4": genes(t, 60, 1),
		"model=gp inducing=9 kernel=spectrum:2/log lengthscales=ard batch=17 natgrad=0.2": genes(t, 60, 1),
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 kernel=matern32+blended:2/tfidf batch=42 " +
			"validation=0.3 eval-every=5 lengthscales=isotropic": mixed(t, 60, 1),
		"model=gp inducing=9 kernel=spectrum:1+double:1,2 codebook=5 batch=17": sounds(t, 60, 1),
		"model=gp inducing=25 batch=11 " +
			"kernel=circular:2/tanimoto/linear+wl:1/tanimoto+atompairs:4/min": molecules(t, 60, 1),
		"model=gp inducing=22 kernel=spectrum:3/linear+spectrum:3 batch=11": readText(t, "short.tsv",
			strings.Repeat(short, 5)+"1\tA\n0\tNNN\n", data.ReadOptions{}),
	}
}

// testDistances trains with a table of distances, and with distances computed in each step: the result has the same
// bits.
func testDistances(t *testing.T, name string, precisions ...string) {
	for options, set := range compared(t) {
		for _, precision := range precisions {
			t.Run(precision+" "+options, func(t *testing.T) {
				run := func(distances string) *Outcome {
					j := jobOf(t, options+" steps=12 device="+name+":"+precision)
					dev := heldOut(t, j, set)
					defer dev.Close()
					j.Device, j.place.distances = dev, distances
					return must.Get(j.Run(t.Context()))(t)
				}
				table, steps := run(memory.InTable), run(memory.InSteps)
				table.Seconds, steps.Seconds = 0, 0
				table.Trained.Featurizer, steps.Trained.Featurizer = fitted.Featurizer{}, fitted.Featurizer{}
				if !reflect.DeepEqual(table, steps) {
					t.Errorf("a table ends at %+v, steps at %+v", table.Objective, steps.Objective)
				}
			})
		}
	}
}

func TestDistances(t *testing.T) { testDistances(t, "cpu", "f32", "f64") }

// Distances are a table where that fits the memory, and else come from features, and the output says so.
func TestDistancesOfMemory(t *testing.T) {
	set := genes(t, 200, 1)
	const options = "model=gp inducing=150 kernel=spectrum:1 steps=3 batch=10 q-cov=diagonal device=cpu:f32"
	run := func(free int64, distances, more string) (*memory.Plan, string, error) {
		dev := openCPU(t)
		j := jobOf(t, options+more)
		j.Device, j.Train, j.place.distances = &small{dev, free}, set, distances
		p, err := planned(t, j.newRun())
		if err != nil {
			return p, "", err
		}
		q := &quiet{}
		j.Reporter = q
		_, err = j.Run(t.Context())
		return p, strings.Join(q.notes, "\n"), err
	}
	free := func(p *memory.Plan) int64 { return (p.Total + p.Host) * memory.SpareOfHost / (memory.SpareOfHost - 1) }
	table, notes, err := run(1<<40, "", "")
	must.OK(t, err)
	must.Equal(t, table.Distances.In, memory.InTable)
	must.Equal(t, table.Distances.Table, 200*150*4)
	must.Contain(t, notes, "distances of sequences: a table of 117.2 KiB")
	steps, notes, err := run(1<<40, memory.InSteps, "")
	want := fmt.Sprintf("distances of sequences: computed in every step from features of %s: a table "+
		"would take 117.2 KiB", memory.Bytes(steps.Distances.Features))
	must.OK(t, err)
	must.Contain(t, notes, want)
	must.Contain(t, strings.Join(steps.Lines(), "\n"), want)
	if steps.Total >= table.Total {
		t.Errorf("%d bytes without the table, %d with it", steps.Total, table.Total)
	}
	between := (free(table) + free(steps)) / 2
	auto, notes, err := run(between, "", "")
	if err != nil || !reflect.DeepEqual(auto.Distances, steps.Distances) || auto.Rows != 10 ||
		!strings.Contains(notes, want) {
		t.Errorf("%+v of %s: %s, %v", auto, memory.Bytes(between), notes, err)
	}
	if auto, _, err := run(free(table)+8, "", ""); err != nil || auto.Distances.In != memory.InTable {
		t.Errorf("%+v, %v", auto.Distances, err)
	}
	// Where neither fits, the error names sizes that would.
	fits := regexp.MustCompile(`what fits is (?:--samples [0-9]+, or )?--inducing ([0-9]+)`)
	both := regexp.MustCompile(`; a table of distances takes 117\.2 KiB, and features instead of it [0-9.]+ KiB$`)
	for _, distances := range []string{"", memory.InTable, memory.InSteps} {
		_, _, err := run(600<<10, distances, "")
		found := fits.FindStringSubmatch(errorText(err))
		if found == nil || (distances != memory.InTable) != both.MatchString(err.Error()) {
			t.Errorf("%s: %v", distances, err)
			continue
		}
		if _, _, err := run(600<<10, distances, " inducing="+found[1]); err != nil {
			t.Errorf("%s inducing=%s: %v", distances, found[1], err)
		}
	}
}

// The vectors cannot have more values than 32 bits count.
func TestTooManyFeatures(t *testing.T) {
	set := genes(t, 60, 1)
	r := (&Job{Config: config(t, "model=gp inducing=9 kernel=spectrum:2 batch=10 steps=3"),
		Device: &small{openCPU(t), 1 << 20}, Train: set}).newRun()
	must.OK(t, r.resolve(t.Context()))
	must.Get(r.countFeatures(t.Context()))(t).train.Sizes[0] = 1 << 31
	p := must.Get(r.measureOnDevice(t.Context(), r.config, new(int64(1000))))(t)
	must.Equal(t, p.Distances.In, memory.InTable)
}

// The memory of a prediction on the device does not depend on how many rows there are.
func TestPredictionOfManyRows(t *testing.T) {
	trained := mustFit(t, "model=gp inducing=9 kernel=spectrum:2 steps=3 batch=10", genes(t, 40, 1)).Trained
	taken := map[int]int64{}
	for _, n := range []int{300, 1200} {
		dev, heard := openCPU(t), []int{}
		_, _, err := trained.PredictSet(t.Context(), dev, genes(t, n, 2), 2,
			fitted.PredictOptions{Progress: func(done int) { heard = append(heard, done) }})
		must.OK(t, err)
		if len(heard) != (n+255)/256+1 || heard[0] != 0 || heard[1] != 256 || heard[len(heard)-1] != n {
			t.Errorf("%d rows: told of %v", n, heard)
		}
		taken[n] = dev.Taken()
	}
	if taken[300] != taken[1200] || taken[300] == 0 {
		t.Errorf("bytes by rows: %v", taken)
	}
}
