package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// suiteRecord is a line of bench/results/suite: the result of a method on a fold.
type suiteRecord struct {
	Set     string `json:"set"`
	Fold    int    `json:"fold"`
	Method  string `json:"method"`
	Command string `json:"command"`
	Seed    uint64 `json:"seed"`
	Version string `json:"version,omitempty"` // version of a peer
	stamp
	Date   string `json:"date"`
	Beside string `json:"beside,omitempty"` // other work on the machine
	Limit  int    `json:"limit"`            // limit of the cell's time in seconds
	// Took is the time in seconds: of the whole process of ours, of training and prediction of a peer.
	Took   float64            `json:"took"`
	CPU    float64            `json:"cpu"`               // processor seconds of the whole process
	Memory float64            `json:"memory"`            // largest resident set of the process, bytes
	Steps  int                `json:"steps"`             // steps of gradients, rounds or trees
	NTrain int                `json:"n_train,omitempty"` // number of training rows
	NTest  int                `json:"n_test,omitempty"`
	Scores map[string]float64 `json:"scores,omitempty"`
	Chosen string             `json:"chosen,omitempty"` // the models of best, with their weights
	Error  string             `json:"error,omitempty"`  // reason why there are no scores
	runs   int                // number of records of the cell
}

func (r *suiteRecord) key() cellKey { return cellKey{r.Set, r.Fold, r.Method} }

// suiteRecords has the latest record of each cell.
type suiteRecords map[cellKey]*suiteRecord

func recordFile(folder, set string) string { return filepath.Join(folder, set+".jsonl") }

// readSuite reads the records of sets. A last line that was cut short does not count.
func readSuite(folder string, sets []suiteSet) (suiteRecords, error) {
	all := suiteRecords{}
	for _, s := range sets {
		path := recordFile(folder, s.name)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		err = eachLine(path, whole(text), func(line []byte) error {
			r := &suiteRecord{}
			err := json.Unmarshal(line, r)
			if earlier := all[r.key()]; earlier != nil {
				r.runs = earlier.runs
			}
			r.runs++
			all[r.key()] = r
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// whole returns a text without a last line that has no line end.
func whole(text []byte) []byte { return text[:bytes.LastIndexByte(text, '\n')+1] }

// append saves a record, and removes a last line that was cut short. It waits until the disk has the record.
func (r *suiteRecord) append(folder string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	path := recordFile(folder, r.Set)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	end := int64(len(whole(text)))
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(append(line, '\n'), end); err != nil {
		return err
	}
	return f.Sync()
}

// without returns the cells that have no record.
func (all suiteRecords) without(cells []suiteCell) (rest []suiteCell) {
	for _, c := range cells {
		if all[c.key()] == nil {
			rest = append(rest, c)
		}
	}
	return rest
}
