package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// manyRows is a number of rows above two batches of a GP.
const manyRows = 20_000

// predictTest is a folder with a GP of two columns.
type predictTest struct {
	*testing.T
	folder string
	said   bytes.Buffer
}

func newPredictTest(t *testing.T) *predictTest {
	p := &predictTest{T: t, folder: t.TempDir()}
	if code := p.run("train", "--data", "testdata/houses.csv", "--model", "gp", "--steps", "5",
		"--inducing", "4", "--set", "report=false", "--out", p.path("run")); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.said)
	}
	return p
}

func (p *predictTest) path(name string) string { return filepath.Join(p.folder, name) }

func (p *predictTest) run(words ...string) (code int) {
	p.said.Reset()
	program := &program{ctx: context.Background(), console: console{out: &p.said, err: &p.said}}
	return program.run(append([]string{"gpdrf-gpu"}, words...))
}

// predict writes rows, and predicts them into out.csv.
func (p *predictTest) predict(rows []string, words ...string) (code int) {
	p.Helper()
	text := "area,age,note\n" + strings.Join(rows, "\n") // the last line has no line end
	must.OK(p, os.WriteFile(p.path("rows.csv"), []byte(text), 0o600))
	return p.run(append([]string{"predict", p.path("run"), "--quiet", "--data", p.path("rows.csv"),
		"--out", p.path("out.csv")}, words...)...)
}

func (p *predictTest) lines(name string) []string {
	p.Helper()
	text := must.Get(os.ReadFile(p.path(name)))(p)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func plainRows() []string {
	rows := make([]string, manyRows)
	for i := range rows {
		rows[i] = fmt.Sprintf("%d.%02d,%d,plain", 40+i%150, i/150, i%70)
	}
	return rows
}

// TestPredictManyRows checks that rows keep their order through batches and threads. Bad or quoted rows change no other
// row, and bad rows are reported with their lines.
func TestPredictManyRows(t *testing.T) {
	p := newPredictTest(t)
	rows := plainRows()
	if code := p.predict(rows); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.said)
	}
	want := p.lines("out.csv")
	if len(want) != 1+manyRows {
		t.Fatalf("%d lines", len(want))
	}
	for _, i := range []int{0, 8191, 8192, 12_345, manyRows - 1} {
		if code := p.predict(rows[i : i+1]); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &p.said)
		}
		if got := p.lines("out.csv")[1]; got != want[1+i] {
			t.Errorf("row %d is %s by itself, and %s among others", i, got, want[1+i])
		}
	}
	line := 2 // the line of the next row
	var bad [][]string
	for i := range rows {
		cells := strings.Split(rows[i], ",")
		switch i {
		case 100, 8191, 8192, 16_383, manyRows - 2:
			bad = append(bad, []string{fmt.Sprint(line), fmt.Sprint(len(cells[0]) + 2), cells[0], "old", "plain"})
			rows[i] = cells[0] + ",old,plain"
		case 101, 9000, 16_384:
			rows[i] = fmt.Sprintf("\"%s\",%s,\"two\nlines\"", cells[0], cells[1])
		case 102, 9001:
			rows[i] += "\r"
		}
		line += 1 + strings.Count(rows[i], "\n")
	}
	if code := p.predict(rows, "--skip-bad", p.path("bad.csv")); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.said)
	}
	for _, i := range []int{manyRows - 2, 16_383, 8192, 8191, 100} {
		want = slices.Delete(want, 1+i, 2+i)
	}
	if !slices.Equal(p.lines("out.csv"), want) {
		t.Error("bad rows change the others")
	}
	aside, err := csv.NewReader(strings.NewReader(strings.Join(p.lines("bad.csv"), "\n"))).ReadAll()
	if err != nil || len(aside) != 1+len(bad) {
		t.Fatalf("%d rows set aside, %v", len(aside)-1, err)
	}
	for k, row := range bad {
		if got := slices.Delete(slices.Clone(aside[1+k]), 2, 3); !slices.Equal(got, row) {
			t.Errorf("set aside is %q, expected %q", got, row)
		}
	}
}

// TestPredictStops checks that an error far into the input keeps the old output file.
func TestPredictStops(t *testing.T) {
	p := newPredictTest(t)
	rows := plainRows()
	rows[manyRows-3] = "12,young,plain"
	must.OK(t, os.WriteFile(p.path("out.csv"), []byte("before\n"), 0o600))
	says := fmt.Sprintf(`rows.csv:%d:4: found "young"`, manyRows-1)
	if code := p.predict(rows); code != exitUsage || !strings.Contains(p.said.String(), says) {
		t.Errorf("exit code %d, %s", code, p.said.String())
	}
	if got := p.lines("out.csv"); !slices.Equal(got, []string{"before"}) {
		t.Errorf("%d lines are left in the file", len(got))
	}
	if left, err := os.ReadDir(p.folder); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}
