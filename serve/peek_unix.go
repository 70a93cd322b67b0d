//go:build unix

package serve

import (
	"net"
	"syscall"
)

// hasSent reports whether a connection holds bytes that nobody has read yet.
func hasSent(conn net.Conn) (sent bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		sent = n > 0 && err == nil
	})
	return sent && err == nil
}
