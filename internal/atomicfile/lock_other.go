//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// Lock is not available here.
func Lock(*os.File) error { return errors.ErrUnsupported }

// Share is not available here.
func Share(*os.File) error { return errors.ErrUnsupported }
