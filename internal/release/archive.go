package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mode is that of a file in an archive: programs can be executed.
func mode(file string) fs.FileMode {
	if strings.HasPrefix(filepath.Base(file), "gpdrf-gpu") {
		return 0o755
	}
	return 0o644
}

// tarball writes files to a packed tar archive, in a folder.
func tarball(w io.Writer, folder string, files []string) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: folder + "/" + filepath.Base(file), Mode: int64(mode(file)), Size: int64(len(data))}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

// zipped writes files to a zip archive, in a folder.
func zipped(w io.Writer, folder string, files []string) error {
	z := zip.NewWriter(w)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: folder + "/" + filepath.Base(file), Method: zip.Deflate}
		header.SetMode(mode(file))
		f, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
