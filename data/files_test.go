package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A file of every format whose reading is stopped gives the context's cause, and no word of damage.
func TestReadingStops(t *testing.T) {
	enough := errors.New("enough")
	for _, c := range []struct{ name, text string }{
		{"t.csv", "a,b,y\n" + strings.Repeat("1,2,3.5\n", 100000)},
		{"t.csv.gz", zipped(strings.Repeat("1,2,3\n", 200000))},
		{"t.svm", strings.Repeat("1 1:2 3:4\n", 100000)},
		{"t.tsv", strings.Repeat("a\tACGTTGCA\n", 100000)},
		{"t.fasta", strings.Repeat(">a\nACGTTGCA\n", 100000)},
		{"t.npy", npy("<f8", "100000, 2", make([]float64, 200000))},
		{"t.npz", zipOf("x.npy", npy("<f8", "100000, 2", make([]float64, 200000)), "y.npy",
			npy("<f8", "100000,", make([]float64, 100000)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.name, c.text)
			ctx, cancel := context.WithCancelCause(t.Context())
			told := 0
			control := ReadControl{Context: ctx, Progress: func(read, total int64) {
				if told++; read > total || total != int64(len(c.text)) {
					t.Errorf("%d of %d bytes, of %d", read, total, len(c.text))
				}
				cancel(enough)
			}}
			_, _, err := ReadFile(path, ReadOptions{ReadControl: control})
			if !errors.Is(err, enough) {
				t.Errorf("%v is not the cause of the context", err)
			}
			must.Lack(t, fmt.Sprint(err), "damaged")
			if told == 0 {
				t.Error("nothing was told")
			}
		})
	}
}

// What hears only takes nothing from what is read.
func TestWatchedFileIsTheSame(t *testing.T) {
	path := write(t, "t.csv", "a,y\n"+strings.Repeat("1,2.5\n3,4\n", 50000))
	plain := dataset(ReadFile(path, ReadOptions{}))(t)
	last := int64(0)
	heard, _, err := ReadFile(path, ReadOptions{TableOptions: TableOptions{OneHot: true},
		ReadControl: ReadControl{Context: t.Context(), Progress: func(read, total int64) { last = total - read }}})
	must.OK(t, err)
	must.Equal(t, heard.Fingerprint, plain.Fingerprint)
	must.Equal(t, last, 0)
}

// openPipe returns the path of a pipe that nobody writes to.
func openPipe(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	must.OK(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	path := fmt.Sprintf("/proc/self/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("this system does not name open files")
	}
	return path
}

// A pipe that nobody writes to does not hold up the end.
func TestReadingAPipeStops(t *testing.T) {
	path := openPipe(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, _, err := ReadFile(path, ReadOptions{ReadControl: ReadControl{Context: ctx}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("a reading of no time took %s", took)
	}
}

// shrinking is a file that is written again before it is read for the second time.
type shrinking struct {
	*strings.Reader
	then string
}

func (s *shrinking) Seek(offset int64, whence int) (int64, error) {
	s.Reader = strings.NewReader(s.then)
	return s.Reader.Seek(offset, whence)
}

// A table that has lost rows between two readings trains nothing.
func TestFileThatShrinks(t *testing.T) {
	const row = "1,0.5\n"
	for rows, want := range map[int]string{
		100: "", 120: "", 40: "t.csv: has 60 rows less than when it was read first",
	} {
		text := "a,y\n3,0.25\n"
		file := &shrinking{strings.NewReader(text + strings.Repeat(row, 99)), text + strings.Repeat(row, rows-1)}
		_, _, err := read("t.csv", file, ReadOptions{}, fileLimits())
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// A pipe that the temporary folder does not take is an error about that folder.
func TestPipeWithoutRoom(t *testing.T) {
	path := openPipe(t)
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	_, _, err := ReadFile(path, ReadOptions{})
	must.Contain(t, fmt.Sprint(err), "is copied to the folder "+none+" before it is read")
}
