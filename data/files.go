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
func (c ReadControl) stopped(path string) error {
	if c.Context == nil || c.Context.Err() == nil {
		return nil
	}
	return fmt.Errorf("%s: reading was stopped: %w", path, context.Cause(c.Context))
}

// controlledFile is an open file whose reading a ReadControl can stop.
type controlledFile struct {
	ReadControl
	file        *os.File
	read, total int64
}

// open opens a regular file, a pipe or standard input for reading, from its start.
func (c ReadControl) open(path string) (*controlledFile, error) {
	f, err := c.file(path)
	if err != nil {
		return nil, err
	}
	r := &controlledFile{ReadControl: c, file: f}
	if info, err := f.Stat(); err == nil {
		r.total = info.Size()
	}
	return r, nil
}

// file opens a regular file, or a copy of a pipe or of standard input.
func (c ReadControl) file(path string) (*os.File, error) {
	if path == standardInput {
		return cmp.Or(c.Piped, &Piped{}).open(c.Context)
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
	return spool(c.Context, f)
}

func (f *controlledFile) Read(b []byte) (int, error) {
	return f.watchRead(func() (int, error) { return f.file.Read(b) })
}

func (f *controlledFile) ReadAt(b []byte, at int64) (int, error) {
	return f.watchRead(func() (int, error) { return f.file.ReadAt(b, at) })
}

// watchRead reads unless the ReadControl has stopped, and reports the progress.
func (f *controlledFile) watchRead(read func() (int, error)) (int, error) {
	if err := f.stopped(f.file.Name()); err != nil {
		return 0, err
	}
	n, err := read()
	f.read += int64(n)
	if f.Progress != nil {
		at := f.read
		if f.total > 0 {
			at = min(at, f.total)
		}
		f.Progress(at, f.total)
	}
	return n, err
}

// Seek moves in the file, and lets the progress start again.
func (f *controlledFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.file.Seek(offset, whence)
	if at == 0 {
		f.read = 0
	}
	return at, err
}

func (f *controlledFile) Close() error {
	if f.Piped != nil && f.file == f.Piped.file {
		return nil
	}
	return f.file.Close()
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
