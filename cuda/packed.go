//go:build cuda && cgo

package cuda

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// This is the packed PTX, a sixth of the text. If the compiler does not find these files, build with `make build`,
// which packs them, and makes the files that cgo needs.
//
//go:embed kernels_sm70.ptx.gz
var packed70 string

//go:embed kernels_sm80.ptx.gz
var packed80 string

//go:embed kernels_sm90.ptx.gz
var packed90 string

// text returns the PTX of an image.
func (i image) text() string {
	packed := map[image]string{plainImage: packed70, tensorImage: packed80, largeDoubles: packed90}[i]
	text, err := unpack(strings.NewReader(packed))
	if err != nil {
		panic("cuda: " + string(i) + ": " + err.Error())
	}
	return string(text)
}

func unpack(packed io.Reader) ([]byte, error) {
	r, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// carried is the machine code of the images for known cards: sm_90/kernels_sm80.ptx.gz. Only a program with the tag
// cubins has it.
var carried fs.FS

// architecture returns the architecture of the machine code that suits a GPU, such as "sm_86", or "". Code for a
// compute capability also runs on later ones with the same major number.
func (i image) architecture(c Capability) string {
	for minor := c.Minor; minor >= 0 && carried != nil; minor-- {
		sm := fmt.Sprintf("sm_%d%d", c.Major, minor)
		if _, err := fs.Stat(carried, i.packedIn(sm)); err == nil {
			return sm
		}
	}
	return ""
}

func (i image) packedIn(architecture string) string { return architecture + "/" + string(i) + ".gz" }

// machineCode returns the machine code of an image for a GPU, or nil.
func (i image) machineCode(c Capability) []byte {
	sm := i.architecture(c)
	if sm == "" {
		return nil
	}
	packed, err := fs.ReadFile(carried, i.packedIn(sm))
	if err == nil {
		packed, err = unpack(bytes.NewReader(packed))
	}
	if err != nil {
		panic("cuda: the machine code of " + string(i) + ": " + err.Error())
	}
	return packed
}
