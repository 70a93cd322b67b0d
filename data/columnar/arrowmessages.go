package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowMessages takes an Arrow stream apart for package ipc. That package allocates what counts in
// a message ask for, and a process that asks for too much is ended. So each message is checked
// first, and its bytes are read before memory for them is taken.
type arrowMessages struct {
	from io.Reader
	last *ipc.Message
	err  error // of a message, in our words

	check  arrowCheck
	memory bounded // for rows
}

const (
	mostMetadata = 64 << 20 // bytes of a message's description
	mostBatch    = 1 << 31  // bytes of the rows in a message
	smallBatch   = 64 << 20 // bytes of them that any file may claim
	mostRatio    = 1 << 10  // of these to the file's, beyond that
)

var errDamagedArrow = errors.New("its data are damaged: write it again")

// Message is the next one, valid until another is asked for; io.EOF after the last.
func (m *arrowMessages) Message() (*ipc.Message, error) {
	message, err := m.message()
	if err != nil && err != io.EOF {
		m.err = err
	}
	return message, err
}

// orDamaged is what was wrong with a message; otherwise it puts an error of package ipc into words.
func (m *arrowMessages) orDamaged(err error) error {
	if m.err != nil {
		return m.err
	}
	return fmt.Errorf("%w (%v)", errDamagedArrow, err)
}

func (m *arrowMessages) message() (*ipc.Message, error) {
	m.Release()
	length, err := m.length()
	if err != nil {
		return nil, err
	}
	if length < 8 || length > mostMetadata {
		return nil, fmt.Errorf("%w (a message's description has %d bytes)", errDamagedArrow, length)
	}
	description, err := m.take(int64(length))
	if err != nil {
		return nil, err
	}
	size, rows, err := m.check.message(description)
	if err != nil {
		return nil, err
	}
	body, err := m.take(size)
	if err != nil {
		return nil, err
	}
	if err := rows.check(bytes.NewReader(body), 0, size); err != nil {
		return nil, err
	}
	m.last = ipc.NewMessage(memory.NewBufferBytes(description), memory.NewBufferBytes(body))
	return m.last, nil
}

// length is that of the next description; io.EOF after the last, which is 0 or the end of the file.
func (m *arrowMessages) length() (n uint32, err error) {
	const follows = 1<<32 - 1 // stands before it, though not in old files
	for n = follows; n == follows; {
		var word [4]byte
		if _, err = io.ReadFull(m.from, word[:]); err == io.EOF {
			return 0, err
		} else if err != nil {
			return 0, shortArrow(err)
		}
		n = binary.LittleEndian.Uint32(word[:])
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// take reads n bytes. It holds no more of them than have come.
func (m *arrowMessages) take(n int64) ([]byte, error) {
	if n > mostBatch {
		return nil, fmt.Errorf("a batch of rows has %d bytes, at most %d can be read: write smaller batches",
			n, int64(mostBatch))
	}
	const piece = 1 << 20
	text := make([]byte, 0, min(n, piece))
	for int64(len(text)) < n {
		done := len(text)
		text = slices.Grow(text, int(min(n-int64(done), piece)))
		text = text[:min(int64(cap(text)), n)]
		if _, err := io.ReadFull(m.from, text[done:]); err != nil {
			return nil, shortArrow(err)
		}
	}
	m.memory.file += n
	return text, nil
}

func shortArrow(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w (it is cut short)", errDamagedArrow)
	}
	return err
}

// Retain does nothing: there is one owner.
func (m *arrowMessages) Retain() {}

// Release lets the last message go.
func (m *arrowMessages) Release() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}
