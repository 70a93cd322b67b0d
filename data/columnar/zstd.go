package columnar

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// smallWindow is what RFC 8878 wants every decoder to take. Larger ones are memory that a frame of
// a few bytes may claim.
const smallWindow = 8 << 20

// zstdSizes are the claims of frames of zstd: the largest window, and the most content.
type zstdSizes struct{ window, content uint64 }

// mostBlock is how much a block holds once it is decompressed.
const mostBlock = 128 << 10

// sizesOfZstd walks over the frames between two offsets without decompressing them. Of damaged
// frames it gives what they claim before the damage.
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
		if h.HasFCS { // which is checked when it is decompressed
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
