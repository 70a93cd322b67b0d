package data

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// readNpz reads the inputs x and the targets y of an archive.
func readNpz(in *input) (*table, error) {
	archive, err := openNpz(in.name, in.src)
	if err != nil {
		return nil, err
	}
	part := "_train"
	if in.opt.Schema != nil {
		part = "_test"
	}
	// These are the possible names of the inputs and of the targets. The first that exists counts.
	xs, ys := []string{"x" + part, "X" + part, "x", "X"}, []string{"y" + part, "Y" + part, "y", "Y"}
	var t *table
	err = archive.readFirst(xs, func(a *npyArray) (err error) {
		t, err = in.arrayTable(a)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.testPart = archive.find([]string{"x_train", "X_train"}) != nil &&
		archive.find([]string{"x_test", "X_test"}) != nil
	if in.opt.Labels != "" {
		return t, in.takeTargets(t)
	}
	if archive.find(ys) == nil && in.opt.TargetOptional {
		return t, nil
	}
	return t, in.unlessUnneeded(t, archive.readFirst(ys, func(a *npyArray) error { return in.arrayTargets(t, a) }))
}

type npzArchive struct {
	name string
	zip  *zip.Reader
}

// openNpz reads the list of arrays, which a zip archive has at its end.
func openNpz(name string, src seekable) (*npzArchive, error) {
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, readError(name, err)
	}
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, errorf(name,
			"is a zip archive that cannot be read (%v): if it is an npz, fetch it again or undo its gzip; "+
				"save a spreadsheet as CSV", err)
	}
	if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".npy") }) {
		return nil, errorf(name, "is a zip archive but not an npz: it holds no .npy array; "+
			"unpack a folder of graphs, and save a spreadsheet as CSV")
	}
	return &npzArchive{name, z}, nil
}

// find returns the first of the arrays that exists, or nil.
func (a *npzArchive) find(names []string) *zip.File {
	for _, name := range names {
		for _, f := range a.zip.File {
			if f.Name == name+".npy" {
				return f
			}
		}
	}
	return nil
}

// readFirst reads the first of the arrays that exists. A fault that the archive itself finds is damage.
func (a *npzArchive) readFirst(names []string, read func(array *npyArray) error) error {
	file := a.find(names)
	if file == nil {
		there := mapSlice(a.zip.File, func(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") })
		return errorf(a.name, "has no array %s: it holds %s; save it by numpy.savez(file, x=…, y=…)",
			strings.Join(names, ", "), phrase.List(there))
	}
	name := a.name + "(" + file.Name + ")"
	r, err := file.Open()
	if err != nil {
		return errorf(name, "the archive is damaged (%v): fetch it again", err)
	}
	defer r.Close()
	array, err := openNpy(name, r)
	if err == nil {
		err = read(array)
	}
	if failure, ok := errors.AsType[*readFailure](err); ok {
		return &Error{File: name, Msg: "the archive is damaged (" + cause(failure.err) +
			"): fetch it again", Err: failure.err}
	}
	return err
}
