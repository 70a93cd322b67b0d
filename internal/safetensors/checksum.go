package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// A file holds its checksum in its metadata, so that every reader of the format can read it: the SHA-256 of the whole
// file, with zeros where the digits of the checksum are.
const (
	ChecksumKey    = "checksum" // key of the checksum in the metadata
	checksumPrefix = "sha256:"
)

// ErrChecksum reports that a file has changed since it was written.
var ErrChecksum = errors.New("damaged: its checksum does not match")

// blank returns the placeholder for a checksum that is not known yet.
func blank() string { return checksumPrefix + strings.Repeat("0", 2*sha256.Size) }

// withChecksum returns a header with this checksum in the place of the one that it holds; false if that cannot be
// found.
func withChecksum(header []byte, now, then string) ([]byte, bool) {
	old, changed := quoted(now), quoted(then)
	if len(old) != len(changed) || bytes.Count(header, old) != 1 {
		return nil, false
	}
	return bytes.Replace(header, old, changed, 1), true
}

func quoted(checksum string) []byte { return []byte(`"` + ChecksumKey + `":"` + checksum + `"`) }

func format(sum []byte) string { return checksumPrefix + hex.EncodeToString(sum) }
