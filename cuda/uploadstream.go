//go:build cuda && cgo

package cuda

import "errors"

// UploadStream is a stream of a Context for uploads while the first stream computes.
type UploadStream struct {
	side    *side
	staging staging
}

// UploadStream returns the stream for uploads. The first call makes it.
func (c *Context) UploadStream() (*UploadStream, error) {
	if c.ahead != nil {
		return c.ahead, nil
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	side, err := c.newSide()
	if err != nil {
		return nil, err
	}
	a := &UploadStream{side: side}
	if err := a.staging.open(); err != nil {
		return nil, errors.Join(err, side.close())
	}
	c.ahead = a
	return a, nil
}

// Stage gives n bytes of pinned memory, at most StageSize, for Write.
func (a *UploadStream) Stage(n int) ([]byte, error) { return a.staging.take(n, a.wait) }

func (a *UploadStream) wait() error {
	return a.side.context.do("waiting for an upload", a.side.stream.Synchronize)
}

// Write copies staged memory to device memory, during the work of the first stream.
func (a *UploadStream) Write(dst Ptr, staged []byte) error {
	return a.side.context.write(dst, staged, a.side.stream)
}

// Join makes the later work of the first stream wait for the copies so far.
func (a *UploadStream) Join() error { return a.side.join() }

// Fork makes the later copies wait for the work so far on the first stream.
func (a *UploadStream) Fork() error { return a.side.fork() }

// close frees the stream and its memory.
func (a *UploadStream) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(a.side.close(), a.staging.close())
}
