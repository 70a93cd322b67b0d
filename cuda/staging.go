//go:build cuda && cgo

package cuda

import (
	"unsafe"

	"gorgonia.org/cu"
)

// StageSize is the largest size that Stage gives at once, in bytes.
const StageSize = 1 << 20

// staging is pinned memory for all copies to the GPU and back. Uploads take it piece by piece, so that a step need not
// wait for the copies of the step before. Only after the last piece does take wait for the stream.
type staging struct {
	pinned []byte
	used   int
}

const stagePieces = 4

func (s *staging) open() (err error) {
	s.pinned, err = allocPinned(stagePieces * StageSize)
	return err
}

func (s *staging) close() error {
	return fail("freeing pinned memory", cu.MemFreeHost(unsafe.Pointer(&s.pinned[0])))
}

// take gives n bytes of pinned memory, at most StageSize. wait waits for the copies of earlier bytes.
func (s *staging) take(n int, wait func() error) ([]byte, error) {
	if s.used+n > len(s.pinned) {
		if err := wait(); err != nil {
			return nil, err
		}
		s.used = 0
	}
	piece := s.pinned[s.used:][:n:n]
	s.used += (n + 15) / 16 * 16
	return piece, nil
}
