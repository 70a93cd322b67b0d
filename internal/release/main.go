// Release packs programs for a release: an archive of each, a list of what is in it, and checksums.
//
//	go run ./internal/release pack build/dist
//
// The folder has programs/SYSTEM/gpdrf-gpu, such as programs/linux-amd64-cuda/gpdrf-gpu. The same
// programs give the same files. One program without an archive gets the files beside it:
//
//	go run ./internal/release describe build/wheels/linux-amd64/gpdrf-gpu
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// beside is what each archive has beside the program.
var beside = []string{"LICENSE", "README.md"}

// What describe writes beside a program.
const (
	noticesFile   = "THIRD_PARTY_NOTICES.txt"
	materialsFile = "sbom.cdx.json"
)

// sums is the file of checksums, as sha256sum -c reads it.
const sums = "SHA256SUMS"

func main() {
	verbs := map[string]func(path, source string) error{"pack": pack, "describe": describe}
	if len(os.Args) != 3 || verbs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: release pack FOLDER, or release describe PROGRAM")
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](os.Args[2], "."); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// pack writes the files of a release to a folder that has the programs; source has the files beside
// them.
func pack(folder, source string) error {
	programs, err := filepath.Glob(filepath.Join(folder, "programs", "*", "gpdrf-gpu*"))
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		return fmt.Errorf("%s: there are no programs/SYSTEM/gpdrf-gpu: make dist", folder)
	}
	var made []string
	for _, program := range programs {
		name := "gpdrf-gpu-" + rundir.Version + "-" + filepath.Base(filepath.Dir(program))
		if err := describe(program, source); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		written := filepath.Dir(program)
		files := []string{program, filepath.Join(written, noticesFile)}
		for _, file := range beside {
			files = append(files, filepath.Join(source, file))
		}
		archive, write := name+".tar.gz", tarball
		if strings.HasSuffix(program, ".exe") {
			archive, write = name+".zip", zipped
		}
		bom := name + ".cdx.json"
		err := errors.Join(
			create(filepath.Join(folder, archive), func(w io.Writer) error { return write(w, name, files) }),
			os.Rename(filepath.Join(written, materialsFile), filepath.Join(folder, bom)),
		)
		if err != nil {
			return err
		}
		made = append(made, archive, bom)
	}
	return create(filepath.Join(folder, sums), func(w io.Writer) error {
		for _, file := range made {
			sum, err := checksum(filepath.Join(folder, file))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s  %s\n", sum, file)
		}
		return nil
	})
}

// describe writes the licences and the bill of materials of a program, beside it.
func describe(program, source string) error {
	all, err := modules(program, source)
	if err != nil {
		return err
	}
	folder := filepath.Dir(program)
	return errors.Join(
		create(filepath.Join(folder, noticesFile), func(w io.Writer) error { return notices(w, all) }),
		create(filepath.Join(folder, materialsFile), func(w io.Writer) error { return materials(w, program, all) }),
	)
}

// create writes a file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// checksum is the SHA-256 of a file in hexadecimal.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
