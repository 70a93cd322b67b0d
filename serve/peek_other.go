//go:build !unix

package serve

import "net"

// hasSent reports unread bytes of a connection on other systems; here it finds none.
func hasSent(net.Conn) bool { return false }
