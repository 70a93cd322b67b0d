//go:build unix

package main

import (
	"net"
	"syscall"
)

// listenSocket opens a Unix socket that this user alone may connect to, from its first moment on.
func listenSocket(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177))
	return net.Listen("unix", path)
}
