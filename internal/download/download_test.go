package download

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

func sumOf(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// exists lists the names of a file that are there, of the three.
func exists(path string) (names []string) {
	for _, end := range []string{"", ".part", ".rejected"} {
		if _, err := os.Stat(path + end); err == nil {
			names = append(names, "file"+end)
		}
	}
	return names
}

func TestGet(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	other := bytes.Repeat([]byte("fedcba9876543210"), 1<<12)
	var asked []string // the ranges
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Range"))
		switch r.URL.Path {
		case "/good":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		case "/whole": // knows no ranges
			w.Write(content)
		case "/wrong":
			w.Write(other)
		case "/long":
			w.Write(content)
			w.Write(content)
		case "/short":
			w.Write(content[:100])
		case "/page": // a page in place of the file
			w.Write(other[:100])
		case "/broken":
			w.Header().Set("Content-Length", "65536")
			w.Write(content[:1000])
		case "/shifted":
			w.Header().Set("Content-Range", "bytes 7-99/65536")
			w.WriteHeader(http.StatusPartialContent)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()

	for _, c := range []struct {
		name, addresses string
		part, there     []byte
		wantErr         string
		left            string // the names that are there afterwards
		asked           string
	}{
		{"whole", "good", nil, nil, "", "file", "/good "},
		{"goes on", "good", content[:777], nil, "", "file", "/good bytes=777-"},
		{"no ranges", "whole", content[:777], nil, "", "file", "/whole bytes=777-"},
		{"part is complete", "good", content, nil, "", "file", ""},
		{"is there", "good", nil, content, "", "file", ""},
		{"something else is there", "good", nil, other, "is there, but its SHA-256", "file", ""},
		{"wrong", "wrong", nil, nil, "has the SHA-256 " + sumOf(other), "file.rejected", "/wrong "},
		{"part of something else", "good", other[:777], nil, "", "file file.rejected", "/good bytes=777-|/good "},
		{"part of something else again", "wrong", other[:777], nil, "it is not used, and kept as",
			"file.rejected", "/wrong bytes=777-|/wrong "},
		{"second address after a page", "page good", nil, nil, "", "file file.rejected", "/page |/good bytes=100-|/good "},
		{"second address after a wrong file", "wrong good", nil, nil, "", "file file.rejected", "/wrong |/good "},
		{"second address after none", "none good", nil, nil, "", "file", "/none |/good "},
		{"none", "none", nil, nil, "/none: answered 404", "", "/none "},
		{"too long", "long", nil, nil, "it is not used", "file.rejected", "/long "},
		{"too short", "short", nil, nil,
			"ended after 100 of 65536 bytes: try again to continue from there", "file.part", "/short "},
		{"breaks off", "broken", nil, nil, "broke off after 1000 of 65536 bytes", "file.part", "/broken "},
		{"breaks off, then goes on", "broken good", nil, nil, "", "file", "/broken |/good bytes=1000-"},
		{"another range", "shifted", content[:777], nil, "sent another part", "file.part", "/shifted bytes=777-"},
	} {
		path := filepath.Join(t.TempDir(), "new", "file")
		os.Mkdir(filepath.Dir(path), 0o777)
		if c.part != nil {
			os.WriteFile(path+".part", c.part, 0o666)
		}
		if c.there != nil {
			os.WriteFile(path, c.there, 0o666)
		}
		f := File{Bytes: int64(len(content)), SHA256: sumOf(content)}
		for _, a := range strings.Fields(c.addresses) {
			f.Addresses = append(f.Addresses, server.URL+"/"+a)
		}
		asked = nil
		err := Get(t.Context(), server.Client(), f, path)
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wantErr)
		}
		if left := strings.Join(exists(path), " "); left != c.left {
			t.Errorf("%s: left %s, want %s", c.name, left, c.left)
		}
		if got := strings.Join(asked, "|"); got != c.asked {
			t.Errorf("%s: asked %s, want %s", c.name, got, c.asked)
		}
		if sum, _ := sum(path); err == nil && sum != f.SHA256 {
			t.Errorf("%s: the file is wrong", c.name)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 1<<16))
		w.(http.Flusher).Flush()
		close(started)
		<-r.Context().Done()
	}))
	defer server.Close()
	go func() { <-started; cancel() }()
	path := filepath.Join(t.TempDir(), "file")
	err := Get(ctx, server.Client(),
		File{Bytes: 1 << 20, SHA256: "x", Addresses: []string{server.URL, server.URL}}, path)
	if !errors.Is(err, context.Canceled) || exists(path) != nil && exists(path)[0] != "file.part" {
		t.Error(err, exists(path))
	}
}

func TestNoNetwork(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	path := filepath.Join(t.TempDir(), "file")
	if err := Get(t.Context(), server.Client(), File{Bytes: 1, Addresses: []string{server.URL}},
		path); err == nil || exists(path) != nil {
		t.Error(err, exists(path))
	}
	if err := Get(t.Context(), server.Client(), File{Bytes: 1, Addresses: []string{server.URL}},
		filepath.Join(path, "\x00")); err == nil {
		t.Error("no error for an impossible name")
	}
}

// Of two that fetch a file at once, one writes it, and the other has an error.
func TestConcurrentFetch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	started, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "65536")
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		once.Do(func() { close(started) })
		<-goOn
		w.Write(content[1000:])
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "file")
	f := File{Bytes: int64(len(content)), SHA256: sumOf(content), Addresses: []string{server.URL, server.URL}}
	first := make(chan error)
	go func() { first <- Get(t.Context(), server.Client(), f, path) }()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := Get(ctx, server.Client(), f, path); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("the second: %v", err)
	}
	close(goOn)
	if err := <-first; err != nil || strings.Join(exists(path), " ") != "file" {
		t.Errorf("the first: %v, %v", err, exists(path))
	}
}
