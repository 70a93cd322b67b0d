// Package download fetches files whose checksum is known in advance. A file appears under its name
// only when it is complete and its checksum is right. Until then it is NAME.part, which one process
// writes at a time and the next try continues. A file with a wrong checksum is kept as
// NAME.rejected, which is never read.
package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// File is a file to fetch.
type File struct {
	Bytes     int64
	SHA256    string   // checksum in hexadecimal
	Addresses []string // addresses, which are tried in turn
}

// Get fetches f to path, unless it is there with the right checksum already. An existing file
// with another checksum is an error, since it may be the user's.
func Get(ctx context.Context, client *http.Client, f File, path string) error {
	switch sum, err := sum(path); {
	case err == nil && sum == f.SHA256:
		return nil
	case err == nil:
		return fmt.Errorf("%s: is there, but its SHA-256 is %s instead of %s: move it away first", path, sum, f.SHA256)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var failed error
	for _, address := range f.Addresses {
		err := get(ctx, client, f, address, path)
		if err != nil {
			if there, gone := sum(path); gone == nil && there == f.SHA256 { // another process was quicker
				return nil
			}
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, atomicfile.ErrLocked) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func get(ctx context.Context, client *http.Client, f File, address, path string) error {
	part := path + ".part"
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	if errors.Is(atomicfile.Lock(file), atomicfile.ErrLocked) || !atomicfile.IsAt(file, part) {
		return fmt.Errorf("%s: %w: try again when that has ended", part, atomicfile.ErrLocked)
	}
	have, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have < f.Bytes {
		if err := receive(ctx, client, f, address, file, have); err != nil {
			if info, statErr := file.Stat(); statErr == nil && info.Size() == 0 {
				os.Remove(part) // nothing came
			}
			return err
		}
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	sum, err := sum(part)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		rejected := path + ".rejected"
		if err := os.Rename(part, rejected); err != nil {
			return err
		}
		if have > 0 { // the first bytes may be of another address, which has sent something else
			return get(ctx, client, f, address, path)
		}
		return fmt.Errorf("%s: has the SHA-256 %s instead of %s: it is not used, and kept as %s", address, sum,
			f.SHA256, rejected)
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

// stallTimeout is the longest silence of a server.
const stallTimeout = time.Minute

// receive brings the bytes from have on. A server that cannot start there starts again. No more
// than one byte beyond the known size is taken.
func receive(ctx context.Context, client *http.Client, f File, address string, file *os.File, have int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(stallTimeout, func() { cancel(fmt.Errorf("no answer for %s", stallTimeout)) })
	defer silence.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	// Go would undo a compression that is only the transfer's; these files are wanted as they are.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	answer, err := client.Do(request)
	if err != nil {
		return because(ctx, err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		have = 0
	case http.StatusPartialContent:
		var from int64
		if _, err := fmt.Sscanf(answer.Header.Get("Content-Range"), "bytes %d-", &from); err != nil || from != have {
			return fmt.Errorf("%s: sent another part of the file than requested: try again", address)
		}
	default:
		return fmt.Errorf("%s: answered %s", address, answer.Status)
	}
	if err := file.Truncate(have); err != nil {
		return err
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return err
	}
	body := &heard{answer.Body, silence}
	n, err := io.Copy(file, io.LimitReader(body, f.Bytes-have+1))
	if err != nil {
		return fmt.Errorf("%s: broke off after %d of %d bytes (%w): try again to continue from there",
			address, have+n, f.Bytes, because(ctx, err))
	}
	if have+n < f.Bytes {
		return fmt.Errorf("%s: ended after %d of %d bytes: try again to continue from there", address, have+n, f.Bytes)
	}
	return nil
}

// heard resets the alarm whenever bytes arrive.
type heard struct {
	io.Reader
	silence *time.Timer
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.silence.Reset(stallTimeout)
	}
	return n, err
}

// because returns the reason why the request was given up, if there is one, or else the error.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// sum returns the SHA-256 of a file, in hexadecimal.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
