package fitted

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// A large graph is checked before it is predicted. Ctrl-C ends the check, too.
func TestLookAtLargeGraphsEnds(t *testing.T) {
	set := func(e *seq.Encoder, text string) *seq.Set {
		must.OK(t, e.Add([]byte(text)))
		s, _ := e.Set()
		return s
	}
	small := set(seq.NewEncoder(seq.Graphs), `{"nodes": ["a", "b"], "edges": [[0, 1]]}`)
	large := set(seq.EncoderFor(small.Alphabet), `{"nodes": 20000, "edges": []}`+strings.Repeat(" ", 20000))
	spec := must.Get(seq.Parse("paths:1"))(t)
	inducing := must.Get(seq.NewInducingSequences(t.Context(), spec, small, []int{0}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := (Featurizer{Inducing: inducing}).checkRows(ctx, &data.Dataset{Sequences: large})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
