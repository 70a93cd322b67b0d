package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize"
)

// cause returns the message of a path error without its operation and path, which the caller knows.
func cause(err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// ReadControl can stop the reading of files, and receives its progress. The zero ReadControl does neither.
type ReadControl struct {
	Context context.Context // reading stops soon after it ends; nil if it never stops
	Piped   *Piped          // keeps standard input for another reading; may be nil
	// Progress takes the number of bytes of a file that are read; total is 0 if it is not known.
	Progress func(read, total int64)
}

// stopped returns the reason for reading to stop, or nil.
func (w ReadControl) stopped(path string) error {
	if w.Context == nil || w.Context.Err() == nil {
		return nil
	}
	return fmt.Errorf("%s: reading was stopped: %w", path, context.Cause(w.Context))
}

// watched is an open file whose reading a ReadControl can stop.
type watched struct {
	ReadControl
	file        *os.File
	read, total int64
}

// open opens a regular file, a pipe or standard input for reading, from its start.
func (w ReadControl) open(path string) (*watched, error) {
	f, err := w.file(path)
	if err != nil {
		return nil, err
	}
	r := &watched{ReadControl: w, file: f}
	if info, err := f.Stat(); err == nil {
		r.total = info.Size()
	}
	return r, nil
}

// file opens a regular file, or a copy of a pipe or of standard input.
func (w ReadControl) file(path string) (*os.File, error) {
	if path == standardInput {
		return cmp.Or(w.Piped, &Piped{}).open(w.Context)
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: path, Msg: "there is no such file", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return nil, &Error{File: path, Msg: "may not be read: check its permissions", Err: err}
	case err != nil:
		return nil, &Error{File: path, Msg: "cannot be opened: " + cause(err), Err: err}
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	defer f.Close()
	if err == nil && info.IsDir() {
		return nil, errorf(path, "is a folder: give a file, or a folder of graphs, which has one file DS_A.txt")
	}
	return spool(w.Context, f)
}

func (r *watched) Read(b []byte) (int, error) {
	return r.watchRead(func() (int, error) { return r.file.Read(b) })
}

func (r *watched) ReadAt(b []byte, at int64) (int, error) {
	return r.watchRead(func() (int, error) { return r.file.ReadAt(b, at) })
}

// watchRead reads unless the ReadControl has stopped, and reports the progress.
func (r *watched) watchRead(read func() (int, error)) (int, error) {
	if err := r.stopped(r.file.Name()); err != nil {
		return 0, err
	}
	n, err := read()
	r.read += int64(n)
	if r.Progress != nil {
		at := r.read
		if r.total > 0 {
			at = min(at, r.total)
		}
		r.Progress(at, r.total)
	}
	return n, err
}

// Seek moves in the file, and lets the progress start again.
func (r *watched) Seek(offset int64, whence int) (int64, error) {
	at, err := r.file.Seek(offset, whence)
	if at == 0 {
		r.read = 0
	}
	return at, err
}

func (r *watched) Close() error {
	if r.Piped != nil && r.file == r.Piped.file {
		return nil
	}
	return r.file.Close()
}

// standardInput is the path that stands for standard input.
const standardInput = "-"

// A table is read twice, and the rows of a run may be read again. So data that can be read only once are copied to a
// temporary file.

// Piped keeps a copy of standard input, which can be read only once.
type Piped struct{ file *os.File }

// open returns the copy, at its start.
func (p *Piped) open(ctx context.Context) (*os.File, error) {
	if p.file == nil {
		if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, errorf("standard input", "has no rows: pipe a table into it, or give a file")
		}
		var err error
		if p.file, err = spool(ctx, os.Stdin); err != nil {
			return nil, err
		}
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return p.file, err
}

// spool copies a pipe to a temporary file, which is removed when it is closed or the program ends.
func spool(ctx context.Context, pipe *os.File) (*os.File, error) {
	to, err := os.CreateTemp("", "gpdrf-gpu-*")
	if err != nil {
		return nil, notCopied(pipe, err)
	}
	os.Remove(to.Name()) // Windows refuses this, and keeps the temporary file
	done := make(chan error, 1)
	go func() {
		most := fileLimits().text
		n, err := io.Copy(to, io.LimitReader(pipe, most+1))
		if n > most {
			err = errorf(pipe.Name(), "holds more than %s, too large to be copied: give a file",
				humanize.IBytes(uint64(most)))
		}
		done <- err
	}()
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx) // the copying ends with the program
	case err = <-done:
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	switch pe := (*fs.PathError)(nil); {
	case err == nil:
		return to, nil
	case errors.As(err, &pe) && pe.Path == to.Name():
		err = notCopied(pipe, err)
	default:
		err = readError(pipe.Name(), err)
	}
	to.Close()
	return nil, err
}

// notCopied returns the error about a pipe that does not fit into the temporary folder.
func notCopied(pipe *os.File, err error) error {
	return fmt.Errorf("%s: is copied to the folder %s before it is read, which failed: %s: make room there, or name "+
		"another folder by TMPDIR", pipe.Name(), os.TempDir(), cause(err))
}
