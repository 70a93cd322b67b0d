package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// statistics are those of a model since the start of the server, by the protocol's extension.
type statistics struct {
	last             atomic.Int64 // when rows were last predicted, in milliseconds of Unix time
	rows, batches    atomic.Uint64
	success, fail    durations // of requests, from their bodies to their answers
	queue            durations
	input            durations // from cells to what a model reads
	forward, outputs durations
}

// durations are a number of times, and their sum.
type durations struct{ count, nanoseconds atomic.Uint64 }

func (d *durations) add(since time.Duration) {
	d.count.Add(1)
	d.nanoseconds.Add(uint64(since))
}

// answered counts a request.
func (s *statistics) answered(rows int, took time.Duration, err error) {
	if err != nil {
		s.fail.add(took)
		return
	}
	s.success.add(took)
	s.rows.Add(uint64(rows))
}

// wireStatistics is the protocol's form. The lists of what is not counted are empty.
type wireStatistics struct {
	Name    string                   `json:"name"`
	Version string                   `json:"version"`
	Last    int64                    `json:"last_inference"`
	Rows    uint64                   `json:"inference_count"`
	Batches uint64                   `json:"execution_count"`
	Times   map[string]wireDurations `json:"inference_stats"`
	ByBatch []struct{}               `json:"batch_stats"`
	Memory  []struct{}               `json:"memory_usage"`
}

type wireDurations struct {
	Count       uint64 `json:"count"`
	Nanoseconds uint64 `json:"ns"`
}

func (e *entry) wireStatistics() wireStatistics {
	s := &e.statistics
	times := map[string]wireDurations{}
	for name, d := range map[string]*durations{"success": &s.success, "fail": &s.fail, "queue": &s.queue,
		"compute_input": &s.input, "compute_infer": &s.forward, "compute_output": &s.outputs,
		"cache_hit": {}, "cache_miss": {}} {
		times[name] = wireDurations{d.count.Load(), d.nanoseconds.Load()}
	}
	return wireStatistics{e.name, version, s.last.Load(), s.rows.Load(), s.batches.Load(), times,
		[]struct{}{}, []struct{}{}}
}

// modelStatistics is the answer about a model; about all models where the name is "".
func (s *Server) modelStatistics(name, asked string) ([]byte, error) {
	if err := checkVersion(asked); err != nil {
		return nil, err
	}
	entries := s.store.entries
	if name != "" {
		e, err := s.store.find(name)
		if err != nil {
			return nil, err
		}
		entries = []*entry{e}
	}
	all := []wireStatistics{}
	for _, e := range entries {
		all = append(all, e.wireStatistics())
	}
	return json.Marshal(map[string][]wireStatistics{"model_stats": all})
}

func (s *Server) getStatistics(w http.ResponseWriter, r *http.Request) error {
	answer, err := s.modelStatistics(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	return writeBody(w, http.StatusOK, "application/json", answer)
}

func (g *grpcService) ModelStatistics(_ context.Context,
	q *inference.ModelStatisticsRequest) (*inference.ModelStatisticsResponse, error) {
	text, err := g.modelStatistics(q.Name, q.Version)
	if err != nil {
		return nil, err
	}
	return inference.ReadStatistics(text)
}
