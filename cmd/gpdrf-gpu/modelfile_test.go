package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Every golden file is sound, under any name.
func TestCheckFile(t *testing.T) {
	folder := t.TempDir()
	files, err := filepath.Glob("testdata/golden/*/*/*.safetensors")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		code, said := checkFile(t, folder, text)
		if code != exitOK || !said.Sound || said.Format == "" {
			t.Errorf("%s: exit code %d, %+v", file, code, said)
		}
		if (said.Format == rundir.CheckpointFormat) != (filepath.Base(file) == rundir.CheckpointFile) {
			t.Errorf("%s: the format is %s", file, said.Format)
		}
	}
}

// A changed or missing byte anywhere makes a file damaged.
func TestCheckFileDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and one goroutine reads a file")
	}
	folder := t.TempDir()
	files := map[string]int{"gram/model": 1, "checkpoint/checkpoint": 97} // steps in bytes between the tested places
	for name, every := range files {
		text := must.Get(os.ReadFile("testdata/golden/0.2.0/" + name + ".safetensors"))(t)
		for at := 0; at < len(text); at += every {
			damaged := bytes.Clone(text)
			mask := []byte{0x01, 0x20, 0xff}[at%3]
			damaged[at] ^= mask
			if code, said := checkFile(t, folder, damaged); code != exitUsage || said.Sound || said.Wrong == "" {
				t.Fatalf("%s: byte %d with %#x: exit code %d, %+v", name, at, mask, code, said)
			}
			if code, said := checkFile(t, folder, text[:at]); code != exitUsage || said.Sound || said.Wrong == "" {
				t.Fatalf("%s: cut after %d bytes: exit code %d, %+v", name, at, code, said)
			}
		}
		if code, _ := checkFile(t, folder, append(text, 0)); code != exitUsage {
			t.Errorf("%s with a byte more: exit code %d", name, code)
		}
	}
}

// saidOfFile is the part of the output of `info --check-file --json` that the tests read.
type saidOfFile struct {
	Sound         bool
	Format, Wrong string
}

// checkFile checks a file with these bytes.
func checkFile(t *testing.T, folder string, text []byte) (code int, said saidOfFile) {
	t.Helper()
	path := filepath.Join(folder, "copy")
	must.OK(t, os.WriteFile(path, text, 0o600))
	var out bytes.Buffer
	err := (&program{console: console{out: &out, err: io.Discard, json: true}}).checkFile(path)
	if err != nil && !errors.As(err, new(*usererror.Error)) {
		t.Fatalf("%v is no *usererror.Error", err)
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	return exitCode(err), said
}
