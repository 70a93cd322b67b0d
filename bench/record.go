package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/plots"
)

// record is what is kept of a row's run, as a file of its own: what was measured, and from which
// source and where.
type record struct {
	Command string `json:"command"`
	Seed    uint64 `json:"seed"`
	stamp
	Device     string         `json:"device"`
	Date       string         `json:"date"`
	Steps      int            `json:"steps"`
	Seconds    float64        `json:"seconds"` // of training
	NTrain     int            `json:"n_train"`
	NTest      int            `json:"n_test"`
	Test       map[string]any `json:"test,omitempty"` // as in result.json
	Validation map[string]any `json:"validation,omitempty"`
	// a support vector machine's kernel and constants
	Chosen string `json:"chosen,omitempty"`
	// between the two most probable classes of each test row
	Distances *plots.Bins `json:"distances,omitempty"`
}

// stamp is what the rows of one call of make results have in common.
type stamp struct {
	Commit    string `json:"commit"`
	Processor string `json:"processor"`
	Threads   int    `json:"threads"`
}

// value is a number of a block, such as "rmse" or "bhattacharyya.correct"; ok is false where it has
// none.
func value(block map[string]any, keys ...string) (v float64, ok bool) {
	for _, key := range keys[:len(keys)-1] {
		block, _ = block[key].(map[string]any)
	}
	v, ok = block[keys[len(keys)-1]].(float64)
	return v, ok
}

// found are the records of the rows that have one.
type found map[string]*record

// path is the row's file in the folder of all.
func (r row) path(folder string) string { return filepath.Join(folder, r.name()+".json") }

// readRecords reads what is there. A record of another command does not count: the row's
// settings have changed since.
func readRecords(folder string, rows []row) (found, error) {
	all := found{}
	for _, r := range rows {
		text, err := os.ReadFile(r.path(folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m := &record{}
		if err == nil {
			err = json.Unmarshal(text, m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: remove it to run the row again", r.path(folder), err)
		}
		if r.isOf(m.Command) {
			all[r.name()] = m
		}
	}
	return all, nil
}

// write keeps the record of a row.
func (m *record) write(folder string, r row) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeText(r.path(folder), string(text)+"\n")
}

// complete are the records of rows, where all of them are there.
func (f found) complete(rows []row) (out []*record, ok bool) {
	for _, r := range rows {
		m, ok := f[r.name()]
		if !ok {
			return nil, false
		}
		out = append(out, m)
	}
	return out, len(out) > 0
}
