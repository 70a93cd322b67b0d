package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A release has an archive for each system, with the program that can be executed.
func TestPack(t *testing.T) {
	if testing.Short() {
		t.Skip("compressing a program takes long under the race detector, and nothing in it is concurrent")
	}
	folder := t.TempDir()
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"linux-arm64-cuda/gpdrf-gpu", "windows-amd64/gpdrf-gpu.exe"} {
		path := filepath.Join(folder, "programs", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, path); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack(folder, "../.."); err != nil {
		t.Fatal(err)
	}
	name := "gpdrf-gpu-" + rundir.Version + "-"
	files := []string{name + "linux-arm64-cuda.cdx.json", name + "linux-arm64-cuda.tar.gz",
		name + "windows-amd64.cdx.json", name + "windows-amd64.zip", sums}
	written := map[string][]byte{}
	for _, file := range files {
		if written[file], err = os.ReadFile(filepath.Join(folder, file)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(string(written[sums])), "\n") {
		sum, file, _ := strings.Cut(line, "  ")
		got, err := checksum(filepath.Join(folder, file))
		if err != nil || got != sum || !slices.Contains(files, file) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	wanted := []string{"gpdrf-gpu", "LICENSE", "README.md", noticesFile}
	var packed, unpacked []string
	for file, data := range untar(t, written[files[1]]) {
		packed = append(packed, filepath.Base(file))
		if filepath.Base(file) == "gpdrf-gpu" && !bytes.Equal(data, content) {
			t.Error("the program in the archive is another")
		}
	}
	z, err := zip.NewReader(bytes.NewReader(written[files[3]]), int64(len(written[files[3]])))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		unpacked = append(unpacked, strings.TrimSuffix(filepath.Base(f.Name), ".exe"))
	}
	for _, names := range [][]string{packed, unpacked} {
		slices.Sort(names)
		slices.Sort(wanted)
		if !slices.Equal(names, wanted) {
			t.Errorf("an archive has %q", names)
		}
	}
}

// The same files give the same archive.
func TestReproducible(t *testing.T) {
	files := []string{"../../LICENSE", "main.go"}
	for name, write := range map[string]func(io.Writer, string, []string) error{"tar": tarball, "zip": zipped} {
		var made [2]bytes.Buffer
		for i := range made {
			if err := write(&made[i], "folder", files); err != nil {
				t.Fatal(err)
			}
		}
		if made[0].Len() == 0 || !bytes.Equal(made[0].Bytes(), made[1].Bytes()) {
			t.Errorf("%s: two archives of the same files differ", name)
		}
	}
}

// untar is the files of a packed tar archive, of which programs can be executed.
func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for all := tar.NewReader(r); ; {
		h, err := all.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(all); err != nil {
			t.Fatal(err)
		}
		if program := filepath.Base(h.Name) == "gpdrf-gpu"; program != (h.Mode&0o111 != 0) {
			t.Errorf("%s has mode %o", h.Name, h.Mode)
		}
	}
}

// A folder without programs is an error that says how they are made.
func TestNoPrograms(t *testing.T) {
	if err := pack(t.TempDir(), "../.."); err == nil || !strings.Contains(err.Error(), "make dist") {
		t.Errorf("%v", err)
	}
}
