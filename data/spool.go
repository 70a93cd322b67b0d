package data

import (
	"context"
	"io"
	"os"
)

// standardInput is the path that stands for standard input.
const standardInput = "-"

// A table is read twice, and a run's rows may be read again, so what cannot be read from its start
// once more is copied to a temporary file.

// Piped keeps a copy of standard input, which can be read only once.
type Piped struct{ file *os.File }

// open is the copy, from its start.
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

// spool copies a pipe to a temporary file, which is gone when it is closed or the program ends.
func spool(ctx context.Context, pipe *os.File) (*os.File, error) {
	to, err := os.CreateTemp("", "gpdrf-gpu-*")
	if err != nil {
		return nil, err
	}
	os.Remove(to.Name()) // not possible on Windows, whose temporary files stay
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(to, io.LimitReader(pipe, fileLimits().text))
		done <- err
	}()
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx) // and the copy ends with the program
	case err = <-done:
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		to.Close()
		return nil, &readFailure{pipe.Name(), err}
	}
	return to, nil
}
