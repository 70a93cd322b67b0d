//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// Lock is not available here.
func Lock(*os.File) error { return errors.ErrUnsupported }
