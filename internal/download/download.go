// Package download fetches files whose checksum is known in advance. A file appears under its name only when it is
// complete and its checksum is right.
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

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// File is a file to fetch.
type File struct {
	Bytes     int64
	SHA256    string   // checksum in hexadecimal
	Addresses []string // addresses, which are tried in turn
}

// Get fetches f to path, unless it is there with the right checksum already. An existing file with another checksum is
// an error, since it may be the user's.
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
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// get brings a file from one address. No more than one byte beyond the known size is taken.
func get(ctx context.Context, client *http.Client, f File, address, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	// Go would undo a compression that is only the transfer's; these files are wanted as they are.
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answered %s", address, answer.Status)
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		h := sha256.New()
		n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(answer.Body, f.Bytes+1))
		if err != nil {
			return fmt.Errorf("%s: broke off after %d of %d bytes (%w): try again", address, n, f.Bytes, err)
		}
		if n < f.Bytes {
			return fmt.Errorf("%s: ended after %d of %d bytes: try again", address, n, f.Bytes)
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
			return fmt.Errorf("%s: has the SHA-256 %s instead of %s: it is not used", address, sum, f.SHA256)
		}
		return nil
	})
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
