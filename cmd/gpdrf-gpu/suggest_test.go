package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/predict"
)

// Ctrl-C while suggestions are written leaves no file, and prints a message.
func TestSuggestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var said bytes.Buffer
	p := &program{ctx: ctx, console: console{out: &said, err: &said}}
	table := &predict.Table{Columns: []string{"rank"}, Rows: 1, Row: func(_ int, cells []predict.Cell) []predict.Cell {
		cancel()
		return append(cells, predict.Cell{Value: 1})
	}}
	out := filepath.Join(t.TempDir(), "next.csv")
	r := &suggestRequest{out: out, format: predict.CSV}
	err := p.writeSuggestions(r, table, p.newExitGuard(ctx, p.nothingWritten))
	if code := p.end(err); code != exitInterrupted ||
		strings.TrimSpace(said.String()) != "interrupted: nothing was written" {
		t.Errorf("exit code %d, %s", code, said.String())
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file is there")
	}
}
