package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// writeFile writes a file, whole or not at all, and makes its folder.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.WriteFile(path, write)
}

// writeText writes a file with this text, as writeFile does.
func writeText(path, text string) error {
	return writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
