package columnar

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// smallWindow is the window that RFC 8878 recommends every decoder to support. A frame of a few bytes may claim
// a larger one.
const smallWindow = 8 << 20

// zstdSizes are the claims of frames of zstd: the largest window, and the most content.
type zstdSizes struct{ window, content uint64 }

// mostBlock is the largest size of a decompressed block.
const mostBlock = 128 << 10

// sizesOfZstd reads the sizes of the frames between two offsets without decompressing them. For damaged frames
// it gives the claims before the damage.
func sizesOfZstd(file io.ReaderAt, at, end int64) (sizes zstdSizes) {
	read := func(n int64) []byte {
		text := make([]byte, max(0, min(n, end-at)))
		n2, _ := file.ReadAt(text, at)
		return text[:n2]
	}
	for at < end {
		var h zstd.Header
		if h.Decode(read(zstd.HeaderMaxSize)) != nil {
			return sizes
		}
		at += int64(h.HeaderSize)
		if h.Skippable {
			at += int64(h.SkippableSize)
			continue
		}
		window, content := h.WindowSize, uint64(0)
		if h.SingleSegment {
			window = h.FrameContentSize
		}
		for last := false; !last; {
			block := read(3)
			if len(block) < 3 {
				break
			}
			head := int64(block[0]) | int64(block[1])<<8 | int64(block[2])<<16
			size, held := head>>3, uint64(head>>3)
			switch last = head&1 == 1; head >> 1 & 3 {
			case 1: // one byte, repeated
				size = 1
			case 2: // compressed
				held = mostBlock
			}
			at, content = at+3+size, content+held
		}
		sizes.window = max(sizes.window, window)
		if h.HasFCS { // the size is checked in decompression
			content = min(h.FrameContentSize, mostBatch+1)
		}
		if sizes.content += content; h.HasCheckSum {
			at += 4
		}
	}
	return sizes
}

// checkWindow rejects windows larger than both smallWindow and the content.
func (s zstdSizes) checkWindow(content int64) error {
	if most := uint64(max(smallWindow, content)); s.window > most {
		return fmt.Errorf("is compressed with a window of %d bytes, at most %d can be read: write it again, "+
			"at a lower level of zstd", s.window, most)
	}
	return nil
}
