//go:build cuda && cgo && cubins

package cuda

import (
	"embed"
	"io/fs"
)

// The machine code that `make dist` assembles and packs.
//
//go:embed cubins
var cubins embed.FS

func init() {
	var err error
	if carried, err = fs.Sub(cubins, "cubins"); err != nil {
		panic("cuda: " + err.Error())
	}
}
