package disttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort is a port of this machine that nobody listens at. It is below those that the system
// gives to connections.
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
