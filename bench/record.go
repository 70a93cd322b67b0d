package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/bench/plots"
)

// record is the result of a row's run, a line in the file of its group. It has the measurements, the source and the
// machine.
type record struct {
	Row     string `json:"row,omitempty"` // label and number of the row, such as gpdrf-1
	Command string `json:"command"`
	Seed    uint64 `json:"seed"`
	stamp
	Device     string         `json:"device"`
	Date       string         `json:"date"`
	Steps      int            `json:"steps"`
	Seconds    float64        `json:"seconds"` // time of training
	NTrain     int            `json:"n_train"`
	NTest      int            `json:"n_test"`
	Test       map[string]any `json:"test,omitempty"` // the block "test" of result.json
	Validation map[string]any `json:"validation,omitempty"`
	// the kernel and the constants of a support vector machine
	Chosen string `json:"chosen,omitempty"`
	// the distances between the two most probable classes of each test row
	Distances *plots.Bins `json:"distances,omitempty"`
}

// stamp is the part of a record that is the same for all rows of a call of make results.
type stamp struct {
	Commit    string `json:"commit"`
	Processor string `json:"processor"`
	Threads   int    `json:"threads"`
}

// value returns a number of a block, such as "rmse" or "bhattacharyya.correct"; ok is false if the block lacks it.
func value(block map[string]any, keys ...string) (v float64, ok bool) {
	for _, key := range keys[:len(keys)-1] {
		block, _ = block[key].(map[string]any)
	}
	v, ok = block[keys[len(keys)-1]].(float64)
	return v, ok
}

// recordsByName has the records by the names of their rows.
type recordsByName map[string]*record

// line returns the name of a row in the file of its group.
func (r row) line() string { return fmt.Sprintf("%s-%d", r.label, r.number) }

// groupFile returns the file with the records of a group, in the folder of all records.
func groupFile(folder, group string) string { return filepath.Join(folder, group+".jsonl") }

// readGroup reads the records of a group by the names of their rows; none if there is no file.
func readGroup(folder, group string) (lines map[string]*record, err error) {
	lines = map[string]*record{}
	path := groupFile(folder, group)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	} else if err != nil {
		return nil, err
	}
	err = eachLine(path, text, func(line []byte) error {
		m := &record{}
		err := json.Unmarshal(line, m)
		lines[m.Row] = m
		return err
	})
	return lines, err
}

// eachLine visits the lines of a file of records that are not empty.
func eachLine(path string, text []byte, visit func(line []byte) error) error {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if err := visit(line); err != nil {
			return fmt.Errorf("%s:%d: %w: remove the line to run it again", path, i+1, err)
		}
	}
	return nil
}

// readRecords reads the records of rows. A record of another command does not count, since the settings of the row have
// changed.
func readRecords(folder string, rows []row) (recordsByName, error) {
	all, groups := recordsByName{}, map[string]map[string]*record{}
	for _, r := range rows {
		if groups[r.group] == nil {
			lines, err := readGroup(folder, r.group)
			if err != nil {
				return nil, err
			}
			groups[r.group] = lines
		}
		if m := groups[r.group][r.line()]; m != nil && r.matches(m.Command) {
			all[r.name()] = m
		}
	}
	return all, nil
}

// write saves the record of a row, in place of an earlier one or as the last line of its group.
func (m *record) write(folder string, r row) error {
	m.Row = r.line()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := groupFile(folder, r.group)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines [][]byte
	replaced := false
	err = eachLine(path, old, func(line []byte) error {
		var was struct{ Row string }
		if err := json.Unmarshal(line, &was); err != nil {
			return err
		}
		if was.Row == m.Row {
			line, replaced = text, true
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		return err
	}
	if !replaced {
		lines = append(lines, text)
	}
	return writeText(path, string(bytes.Join(lines, []byte("\n")))+"\n")
}

// complete returns the records of rows; ok is false if one is missing.
func (f recordsByName) complete(rows []row) (out []*record, ok bool) {
	for _, r := range rows {
		m, ok := f[r.name()]
		if !ok {
			return nil, false
		}
		out = append(out, m)
	}
	return out, len(out) > 0
}
