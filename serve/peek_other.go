//go:build !unix

package serve

import "net"

// hasSent would say whether a connection holds bytes that nobody has read yet.
func hasSent(net.Conn) bool { return false }
