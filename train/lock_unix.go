//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package train

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of an open file, which the system gives back when the process ends, however it does. Somebody
// else's is errLocked.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
