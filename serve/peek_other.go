//go:build !unix

package serve

import "net"

// hasSent would report unread bytes of a connection.
func hasSent(net.Conn) bool { return false }
