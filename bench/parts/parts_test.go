package parts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

func TestParse(t *testing.T) {
	array := func(id, least, most, count string) map[string]string {
		return map[string]string{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_MIN": least,
			"SLURM_ARRAY_TASK_MAX": most, "SLURM_ARRAY_TASK_COUNT": count}
	}
	for _, c := range []struct {
		text  string
		env   map[string]string
		want  Part
		error string // "" for none
	}{
		{"0/1", nil, Part{0, 1}, ""},
		{"3/8", nil, Part{3, 8}, ""},
		{"8/8", nil, Part{}, "must be i/n with i from 0 to n−1"},
		{"-1/8", nil, Part{}, "must be i/n"},
		{"3", nil, Part{}, "must be i/n"},
		{"a/b", nil, Part{}, "must be i/n"},
		{"", nil, Part{}, "must be i/n"},
		{"0/0", nil, Part{}, "must be i/n"},
		{"auto", array("5", "0", "119", "120"), Part{5, 120}, ""},
		{"auto", array("1", "1", "4", "4"), Part{0, 4}, ""},
		{"auto", array("10", "0", "20", "3"), Part{1, 3}, ""},
		{"auto", array("7", "7", "7", "1"), Part{0, 1}, ""},
		{"auto", array("3", "1", "9", "3"), Part{}, "has no place in even steps"},
		{"auto", array("5", "0", "119", ""), Part{}, `SLURM_ARRAY_TASK_COUNT=""`},
		{"auto", nil, Part{}, "SLURM_ARRAY_TASK_ID is not set"},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "3"}, Part{}, "part=$(JOB_COMPLETION_INDEX)/N"},
	} {
		got, err := Parse(c.text, func(name string) string { return c.env[name] })
		if c.error != "" {
			if err == nil || !strings.Contains(err.Error(), c.error) || !errors.As(err, new(*usererror.Error)) {
				t.Errorf("%q %v: %v", c.text, c.env, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%q %v: %v, %v", c.text, c.env, got, err)
		}
	}
}

// Every cell is of one part.
func TestPartOfCell(t *testing.T) {
	for n := 1; n < 9; n++ {
		for cell := range 50 {
			has := 0
			for i := range n {
				if (Part{i, n}).Has(cell) {
					has++
				}
			}
			if has != 1 {
				t.Errorf("cell %d is of %d parts of %d", cell, has, n)
			}
		}
	}
	if !(Part{}).Has(7) {
		t.Error("the zero Part lacks a cell")
	}
}

func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	release, err := Claim(path)
	must.OK(t, err)
	var held *HeldError
	if _, err := Claim(path); !errors.As(err, &held) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("claimed twice: %v", err)
	}
	must.OK(t, release())
	if _, err := os.Stat(path); err == nil {
		t.Error("the lock file stays")
	}
	// the lock file of a dead process, which could not remove it
	must.OK(t, os.WriteFile(path, []byte("process 1 on elsewhere\n"), 0o666))
	if release, err = Wait(path); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

const cells = 60

// Two processes share 60 cells, and the first is killed at a random moment, some times, and started again: every cell
// is run to its end once.
func TestKilled(t *testing.T) {
	if folder := os.Getenv("PARTS_TEST_FOLDER"); folder != "" {
		work(t, folder)
		return
	}
	folder := t.TempDir()
	start := func(part string) *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), "PARTS_TEST_FOLDER="+folder, "PARTS_TEST_PART="+part)
		must.OK(t, c.Start())
		return c
	}
	// each works on all cells, which is harder than on different cells
	other := start("0/1")
	for range 3 {
		victim := start("0/1")
		time.Sleep(time.Duration(20+rand.IntN(100)) * time.Millisecond)
		must.OK(t, victim.Process.Kill())
		victim.Wait()
	}
	for _, last := range []*exec.Cmd{other, start("0/2"), start("1/2")} {
		must.OK(t, last.Wait())
	}
	for cell := range cells {
		if _, err := os.Stat(filepath.Join(folder, fmt.Sprintf("cell-%d", cell))); err != nil {
			t.Error(err)
		}
	}
}

// work does the cells of a part that are not done. A cell takes a while, and then makes its file, which fails where
// another process has made it meanwhile.
func work(t *testing.T, folder string) {
	part := must.Get(Parse(os.Getenv("PARTS_TEST_PART"), os.Getenv))(t)
	for cell := range cells {
		if !part.Has(cell) {
			continue
		}
		done := filepath.Join(folder, fmt.Sprintf("cell-%d", cell))
		release, err := Claim(done + ".lock")
		if errors.As(err, new(*HeldError)) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(done); err != nil {
			time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
			f, err := os.OpenFile(done, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if err != nil {
				t.Fatalf("run twice: %v", err)
			}
			f.Close()
		}
		must.OK(t, release())
	}
}
