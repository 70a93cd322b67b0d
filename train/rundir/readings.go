package rundir

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Reading is a line of metrics.jsonl. The numbers that begin with val_ come from an evaluation at this step.
type Reading struct {
	Step    int      `json:"step"`
	ELBO    float64  `json:"elbo"`
	ELL     float64  `json:"ell"`
	KL      float64  `json:"kl"`
	LR      float64  `json:"lr"`
	Seconds float64  `json:"seconds"`
	NLPD    *float64 `json:"val_nlpd,omitempty"`
	RMSE    *float64 `json:"val_rmse,omitempty"`
	NLL     *float64 `json:"val_nll,omitempty"`
	Error   *float64 `json:"val_error,omitempty"`
}

// ParseReadings reads metrics.jsonl. An error names the line. A last line without an end is left out: the disk was
// full, or the run goes on.
func ParseReadings(text []byte) (all []Reading, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r Reading
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// WriteReadings writes readings as CSV, with the names of metrics.jsonl. A missing score is an empty cell.
func WriteReadings(w io.Writer, all []Reading) error {
	out := csv.NewWriter(w)
	out.Write([]string{"step", "elbo", "ell", "kl", "lr", "val_nlpd", "val_rmse", "val_nll", "val_error", "seconds"})
	for _, r := range all {
		cells := []string{strconv.Itoa(r.Step)}
		for _, v := range []*float64{
			&r.ELBO, &r.ELL, &r.KL, &r.LR, r.NLPD, r.RMSE, r.NLL, r.Error, &r.Seconds,
		} {
			cell := ""
			if v != nil {
				cell = phrase.Number(*v)
			}
			cells = append(cells, cell)
		}
		out.Write(cells) // the writer keeps an error until Flush
	}
	out.Flush()
	return out.Error()
}
