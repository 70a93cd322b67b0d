package disttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort returns a port of this machine at which no program listens. It is below the ports that the system gives to
// connections.
func FreePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := fmt.Sprint(20_000 + rand.IntN(12_000))
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("there is no free port")
	return ""
}
