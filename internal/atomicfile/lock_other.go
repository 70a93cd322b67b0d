//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// Lock returns errors.ErrUnsupported: there are no locks here.
func Lock(*os.File) error { return errors.ErrUnsupported }
