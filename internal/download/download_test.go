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
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func sumOf(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// left lists the names that are in the folder of a file.
func left(path string) string {
	var names []string
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestGet(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	other := bytes.Repeat([]byte("fedcba9876543210"), 1<<12)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			w.Write(content)
		case "/wrong":
			w.Write(other)
		case "/long":
			w.Write(content)
			w.Write(content)
		case "/short":
			w.Write(content[:100])
		case "/broken":
			w.Header().Set("Content-Length", "65536")
			w.Write(content[:1000])
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()

	for _, c := range []struct {
		addresses string
		there     []byte
		wantErr   string // "" for none, and a file
	}{
		{"good", nil, ""},
		{"good", content, ""},
		{"good", other, "is there, but its SHA-256"},
		{"wrong", nil, "has the SHA-256 " + sumOf(other)},
		{"wrong good", nil, ""},
		{"broken good", nil, ""},
		{"none good", nil, ""},
		{"none", nil, "/none: answered 404"},
		{"long", nil, "it is not used"},
		{"short", nil, "ended after 100 of 65536 bytes: try again"},
		{"broken", nil, "broke off after 1000 of 65536 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "new", "file")
		if c.there != nil {
			os.Mkdir(filepath.Dir(path), 0o777)
			os.WriteFile(path, c.there, 0o666)
		}
		f := File{Bytes: int64(len(content)), SHA256: sumOf(content)}
		for _, a := range strings.Fields(c.addresses) {
			f.Addresses = append(f.Addresses, server.URL+"/"+a)
		}
		err := Get(t.Context(), server.Client(), f, path)
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: %v, want %q", c.addresses, err, c.wantErr)
		}
		want := ""
		if err == nil || c.there != nil {
			want = "file"
		}
		if left(path) != want {
			t.Errorf("%s: left %s", c.addresses, left(path))
		}
		if sum, _ := sum(path); err == nil && sum != f.SHA256 {
			t.Errorf("%s: the file is wrong", c.addresses)
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
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context is cancelled", err)
	}
	must.Equal(t, left(path), "")
}

func TestNoNetwork(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	path := filepath.Join(t.TempDir(), "file")
	if err := Get(t.Context(), server.Client(), File{Bytes: 1, Addresses: []string{server.URL}},
		path); err == nil || left(path) != "" {
		t.Errorf("%v, and %q is left", err, left(path))
	}
	if err := Get(t.Context(), server.Client(), File{Bytes: 1, Addresses: []string{server.URL}},
		filepath.Join(path, "\x00")); err == nil {
		t.Error("no error for an impossible name")
	}
}
