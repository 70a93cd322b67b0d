//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package train

import (
	"errors"
	"os"
)

// lock cannot be had here.
func lock(*os.File) error { return errors.ErrUnsupported }
