package sets

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/download"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// serving returns a client for which every address is one of a local server.
func serving(t *testing.T, files map[string][]byte) *http.Client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(content)
	}))
	t.Cleanup(server.Close)
	return &http.Client{Transport: toServer{strings.TrimPrefix(server.URL, "http://")}}
}

type toServer struct{ host string }

func (s toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", s.host
	return http.DefaultTransport.RoundTrip(r)
}

func mustSet(name string) Set {
	s, ok := Find(name)
	if !ok {
		panic("no set " + name)
	}
	return s
}

func dataDir(t *testing.T) string {
	dir := os.Getenv("GPDRF_DATA")
	if dir == "" {
		t.Skip("set GPDRF_DATA to the folder of the named sets to compare with their files")
	}
	return dir
}

// TestTables: the addresses and the checksums are those of the sets, and nothing is fetched without encryption.
func TestTables(t *testing.T) {
	for _, s := range All() {
		want := 2 * s.Folds
		switch s.Name {
		case "mnist":
			want = 4
		case "eeg-blocked":
			want = 1
		}
		contents := tableRows(contentTable, s.Name)
		if len(contents) != want {
			t.Errorf("%s: %d checksums, want %d", s.Name, len(contents), want)
		}
		for _, cells := range contents {
			if len(cells) != 2 || len(cells[1]) != 64 || !strings.HasSuffix(cells[0], ".gz") {
				t.Errorf("%s: %v", s.Name, cells)
			}
		}
		for fold := 1; fold <= s.Folds; fold++ {
			train, test := s.Files(fold)
			for _, file := range []string{train, test} {
				if file != "" && !slices.ContainsFunc(contents, func(cells []string) bool { return cells[0] == file }) {
					t.Errorf("%s: no checksum of %s", s.Name, file)
				}
			}
		}
		for _, r := range s.Remotes() {
			if r.Bytes <= 0 || len(r.SHA256) != 64 || len(r.Addresses) == 0 {
				t.Errorf("%s: %+v", s.Name, r)
			}
			for _, a := range r.Addresses {
				if !strings.HasPrefix(a, "https://") {
					t.Errorf("%s: %s", s.Name, a)
				}
			}
		}
		if s.columns != nil && (len(s.columns) != s.Inputs || len(s.Remotes()) != 4*s.Folds) {
			t.Errorf("%s: %d columns, %d originals", s.Name, len(s.columns), len(s.Remotes()))
		}
	}
}

// by gets files by a client.
func by(t *testing.T, client *http.Client) func(Remote, string) error {
	return func(r Remote, path string) error {
		return download.Get(t.Context(), client, download.File{Bytes: r.Bytes, SHA256: r.SHA256,
			Addresses: r.Addresses}, path)
	}
}

func TestFetchFails(t *testing.T) {
	dir := t.TempDir()
	note := func(string, ...any) {}
	first := filepath.Join(dir, "mnist", "train-images-idx3-ubyte.gz")
	closed := httptest.NewServer(nil)
	closed.Close()
	offline := &http.Client{Transport: toServer{strings.TrimPrefix(closed.URL, "http://")}}
	err := mustSet("mnist").Fetch(t.Context(), by(t, offline), dir, note)
	if err == nil || !strings.Contains(err.Error(), "by hand: save https://") || !strings.Contains(err.Error(), first) {
		t.Error(err)
	}
	err = mustSet("mnist").Fetch(t.Context(),
		by(t, serving(t, map[string][]byte{filepath.Base(first): []byte("not images")})), dir, note)
	must.Contain(t, fmt.Sprint(err), "ended after 10 of 9912422 bytes")
	err = mustSet("mnist").Fetch(t.Context(),
		by(t, serving(t, map[string][]byte{filepath.Base(first): make([]byte, 9912422)})), dir, note)
	if err == nil || !strings.Contains(err.Error(), "it is not used") || IsFile(first) {
		t.Error(err)
	}
	os.WriteFile(first, []byte("mine"), 0o666)
	must.Contain(t, fmt.Sprint(mustSet("mnist").Fetch(t.Context(), by(t, offline), dir, note)),
		"is there, but is not the file of the set mnist: move it away")
	for set, want := range map[string]string{
		"powerplant": "powerplant is part of the program",
		"spam":       "put fold1.train.csv.gz … fold5.test.csv.gz into " + filepath.Join(dir, "spam"),
	} {
		var e *usererror.Error
		if err := mustSet(set).Fetch(t.Context(), by(t, offline), dir, note); !errors.As(err, &e) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// A file that is damaged differs, and so does a folder of its name.
func TestCheckDamaged(t *testing.T) {
	dir := t.TempDir()
	for i, damage := range []string{"", "text", "\x1f\x8b", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xffnot deflated"} {
		os.MkdirAll(filepath.Join(dir, "credit"), 0o755)
		file, _ := mustSet("credit").Files(i + 1)
		os.WriteFile(filepath.Join(dir, "credit", file), []byte(damage), 0o666)
	}
	file, _ := mustSet("credit").Files(5)
	os.Mkdir(filepath.Join(dir, "credit", file), 0o755)
	states := mustSet("credit").Check(dir)
	count := map[string]int{}
	for _, s := range states {
		count[s.State]++
	}
	must.Equal(t, count["differs"], 5)
	must.Equal(t, count["missing"], 5)
}

func TestFoldTable(t *testing.T) {
	columns := []string{"a", "b"}
	for y, want := range map[string]string{
		"0.5\n-1\n":  "a,b,target\n1,2.50,0.5\n-3,4,-1\n",
		"0 1\n1 0\n": "a,b,target\n1,2.50,1\n-3,4,0\n",
	} {
		if got := string(foldTable(columns, []byte("1 2.50\n-3 4\n"), []byte(y))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestFetch makes the originals from the files of the sets, serves them, and fetches them into another folder.
func TestFetch(t *testing.T) {
	dir := dataDir(t)
	served := map[string][]byte{}
	for _, r := range mustSet("mnist").Remotes() {
		content := must.Get(os.ReadFile(filepath.Join(dir, "mnist", r.Path)))(t)
		served[filepath.Base(r.Path)] = content
	}
	concrete := mustSet("concrete")
	for fold := 1; fold <= concrete.Folds; fold++ {
		train, test := concrete.Files(fold)
		for part, file := range map[string]string{"train": train, "test": test} {
			f := must.Get(os.Open(filepath.Join(dir, "concrete", file)))(t)
			r := must.Get(gzip.NewReader(f))(t)
			var text, x, y bytes.Buffer
			text.ReadFrom(r)
			f.Close()
			for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n")[1:] {
				cells := strings.Split(line, ",")
				fmt.Fprintln(&x, strings.Join(cells[:8], " "))
				fmt.Fprintln(&y, cells[8])
			}
			served[fmt.Sprintf("concrete_ARD_X%s__FOLD_%d", part, fold)] = x.Bytes()
			served[fmt.Sprintf("concrete_ARD_y%s__FOLD_%d", part, fold)] = y.Bytes()
		}
	}
	to, get := t.TempDir(), by(t, serving(t, served))
	for _, set := range []Set{mustSet("mnist"), concrete} {
		for _, want := range []string{"complete, ", "is there, "} { // fetched, then left alone
			var notes strings.Builder
			must.OK(t, set.Fetch(t.Context(), get, to,
				func(f string, args ...any) { fmt.Fprintf(&notes, f+"\n", args...) }))
			must.Contain(t, notes.String(), want)
		}
		if set.From(to) != filepath.Join(to, set.Name) {
			t.Errorf("%s is read from %q", set.Name, set.From(to))
		}
	}
	for _, s := range All() { // all files of the folder are what they should be
		states := s.Check(dir)
		if slices.ContainsFunc(states, func(f FileState) bool { return f.State != "ok" }) {
			t.Errorf("%s: %v, want ok", s.Name, states)
		}
	}
}
