package predict

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Rows that come at once are predicted in parts where their logits would fill the memory, and else together.
func TestWholeInParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	var text strings.Builder
	text.WriteString("x,target\n")
	for i := range 600 {
		fmt.Fprintf(&text, "%d.5,%c\n", i, "ab"[i%2])
	}
	must.OK(t, os.WriteFile(path, []byte(text.String()), 0o666))
	all, _, err := data.ReadFile(path, data.ReadOptions{})
	must.OK(t, err)
	trained := &fitted.Trained{Schema: all.Schema(), Scaler: must.Get(data.FitScaler("standard", all))(t),
		Model: model.Config{Model: model.GPDRF, Likelihood: model.SoftmaxLikelihood, Outputs: 1000}}
	for samples, want := range map[int][]int{100: {600}, 1000: {256, 256, 88}} {
		s := &Stream{Trained: trained, Samples: samples}
		rows := must.Get(data.OpenWhole(path, all.Schema(), data.TableOptions{}, data.Watch{}))(t)
		to := make(chan *data.Dataset, 9)
		if err := s.read(t.Context(), rows, to); err != io.EOF {
			t.Fatal(err)
		}
		close(to)
		var sizes []int
		var labels []int32
		for ds := range to {
			sizes, labels = append(sizes, ds.N()), append(labels, ds.Labels...)
		}
		if !slices.Equal(sizes, want) || !slices.Equal(labels, all.Labels) {
			t.Errorf("%d samples: parts of %v rows, expected %v", samples, sizes, want)
		}
	}
}
