package sets

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the addresses and checksums
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/gzip"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

var (
	//go:embed sources/addresses.tsv
	addressTable string
	//go:embed sources/contents.tsv
	contentTable string
)

// tableRows returns the cells of the rows of a set.
func tableRows(table, set string) (rows [][]string) {
	for line := range strings.Lines(table) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); cells[0] == set {
			rows = append(rows, cells[1:])
		}
	}
	return rows
}

// Remote is an original that can be downloaded.
type Remote struct {
	Path      string   `json:"path"` // path below the folder of the set
	Bytes     int64    `json:"bytes"`
	SHA256    string   `json:"sha256"`    // in hexadecimal
	Addresses []string `json:"addresses"` // addresses that are tried in turn
}

// Remotes returns the originals of a set; none if it is part of the program or cannot be downloaded.
func (s Set) Remotes() (all []Remote) {
	for _, cells := range tableRows(addressTable, s.Name) {
		size, err := strconv.ParseInt(cells[1], 10, 64)
		if err != nil {
			panic("sets: embedded addresses: " + err.Error())
		}
		all = append(all, Remote{filepath.FromSlash(cells[0]), size, cells[2], strings.Fields(cells[3])})
	}
	return all
}

// Get returns the advice for getting the set into a folder; "" is the folder of the environment.
func (s Set) Get(dir string) string {
	switch {
	case s.Embedded:
		return "part of the program"
	case s.Remotes() != nil:
		if dir != "" {
			dir = " --data-dir " + dir
		}
		return "gpdrf-gpu data fetch " + s.Name + dir
	}
	return "by hand, see docs/results.md"
}

// FileState is the result of checking a file of a set.
type FileState struct {
	Set   string `json:"set"`
	Path  string `json:"path"`
	State string `json:"state"` // "ok", "missing", "differs"
}

// Check compares the contents of the files of a set under the data folder dir, plain or gzip, with their checksums. A
// file that cannot be read differs.
func (s Set) Check(dir string) (states []FileState) {
	for _, cells := range tableRows(contentTable, s.Name) {
		state := FileState{s.Name, PlainOrZipped(filepath.Join(s.folderIn(dir), filepath.FromSlash(cells[0]))), "ok"}
		switch sum, err := contentSum(state.Path); {
		case errors.Is(err, fs.ErrNotExist):
			state.State = "missing"
		case err != nil, sum != cells[1]:
			state.State = "differs"
		}
		states = append(states, state)
	}
	return states
}

// contentSum returns the SHA-256 of the content of a file, without gzip.
func contentSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var r io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(in); err != nil {
			return "", err
		}
	}
	h := sha256.New()
	_, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// Fetch downloads the originals of a set into its folder under dir. If the originals have another form, it makes the
// files of the folds from them. Existing files stay. get downloads a file to a path. note is called with a description
// of each step.
func (s Set) Fetch(ctx context.Context, get func(r Remote, path string) error, dir string,
	note func(format string, args ...any)) error {
	states := s.Check(dir)
	folder := s.folderIn(dir)
	if !slices.ContainsFunc(states, func(f FileState) bool { return f.State != "ok" }) {
		note("%s: is there, %s with the right checksums", folder, phrase.Plural(len(states), "file"))
		return nil
	}
	for _, f := range states {
		if f.State == "differs" {
			return usererror.Errorf("%s: is there, but is not the file of the set %s: move it away, then fetch again",
				f.Path, s.Name)
		}
	}
	remotes := s.Remotes()
	if remotes == nil {
		return s.byHand(dir)
	}
	for _, r := range remotes {
		path := filepath.Join(folder, r.Path)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			note("fetching %s (%s)", path, humanize.IBytes(uint64(r.Bytes)))
		}
		if err := get(r, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w\nTo fetch it by hand: save %s as %s, and likewise the other addresses "+
				"that gpdrf-gpu data list %s --json shows. Then run gpdrf-gpu data fetch %s again, which checks them",
				err, r.Addresses[0], path, s.Name, s.Name)
		}
	}
	if s.columns != nil {
		for fold := 1; fold <= s.Folds; fold++ {
			if err := s.assemble(folder, fold); err != nil {
				return err
			}
		}
	}
	for _, f := range s.Check(dir) {
		if f.State != "ok" {
			return fmt.Errorf("%s: %s after the download: please report this", f.Path, f.State)
		}
	}
	note("%s: complete, %s with the right checksums", folder, phrase.Plural(len(states), "file"))
	return nil
}

// byHand returns the error about a set whose folds are not available for download.
func (s Set) byHand(dir string) error {
	if s.Embedded {
		return usererror.Errorf("%s is part of the program: there is nothing to fetch", s.Name)
	}
	var files []string
	for _, cells := range tableRows(contentTable, s.Name) {
		files = append(files, cells[0])
	}
	return usererror.Errorf("the folds of %s are not offered for download: docs/results.md tells how to "+
		"make them; put %s … %s into %s, then run gpdrf-gpu data check %s",
		s.Name, files[0], files[len(files)-1], s.folderIn(dir), s.Name)
}

// assemble makes the CSV files of a fold from its originals, which have inputs and targets in separate files.
func (s Set) assemble(folder string, fold int) error {
	trainFile, testFile := s.Files(fold)
	for part, file := range map[string]string{"train": trainFile, "test": testFile} {
		source := func(v string) string {
			return filepath.Join(folder, "source", fmt.Sprintf("%s_ARD_%s%s__FOLD_%d", s.Name, v, part, fold))
		}
		x, err := os.ReadFile(source("X"))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(source("y"))
		if err != nil {
			return err
		}
		err = atomicfile.WriteFile(filepath.Join(folder, file), func(w io.Writer) error {
			zipped := gzip.NewWriter(w)
			_, err := zipped.Write(foldTable(s.columns, x, y))
			return errors.Join(err, zipped.Close())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// foldTable joins lines of inputs with lines of targets: a number, or a 1 in the place of the class.
func foldTable(columns []string, x, y []byte) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(columns, ",") + ",target\n")
	rows, targets := strings.Split(strings.TrimSpace(string(x)), "\n"),
		strings.Split(strings.TrimSpace(string(y)), "\n")
	for i, row := range rows[:min(len(rows), len(targets))] {
		target := strings.Fields(targets[i])
		if len(target) > 1 {
			target[0] = strconv.Itoa(slices.Index(target, "1"))
		}
		b.WriteString(strings.Join(append(strings.Fields(row), target[:1]...), ",") + "\n")
	}
	return b.Bytes()
}
