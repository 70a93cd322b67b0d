//go:build cuda && cgo

package cuda

import (
	"bytes"
	_ "embed"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// The PTX in the form that the program carries, a sixth of the text beside it. `make` packs it; if
// the compiler finds no such file, build with `make build`, which also makes what cgo needs.
//
//go:embed kernels_sm70.ptx.gz
var packed70 string

//go:embed kernels_sm80.ptx.gz
var packed80 string

//go:embed kernels_sm86.ptx.gz
var packed86 string

//go:embed kernels_sm90.ptx.gz
var packed90 string

// text is the PTX of an image.
func (i image) text() string {
	packed := map[image]string{plainImage: packed70, tensorImage: packed80, plainDoubles: packed86, largeDoubles: packed90}[i]
	r, err := gzip.NewReader(strings.NewReader(packed))
	var text bytes.Buffer
	if err == nil {
		_, err = io.Copy(&text, r)
	}
	if err != nil {
		panic("cuda: " + string(i) + ": " + err.Error())
	}
	return text.String()
}
