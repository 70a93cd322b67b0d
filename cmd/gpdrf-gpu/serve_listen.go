package main

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/serve"
)

const (
	noListener = "none"  // the address that turns gRPC off
	unixPrefix = "unix:" // the beginning of the address of a Unix socket
)

// listen opens the addresses. An address that other machines reach needs a token or TLS.
func (c *call) listen(config *serve.Config) (web, rpc net.Listener, err error) {
	insecure := c.isOn("insecure")
	if c.err != nil {
		return nil, nil, c.err
	}
	open := func(flag, otherwise string) (net.Listener, error) {
		address, ok := c.text(flag)
		if !ok {
			address = otherwise
		}
		if path, isUnix := strings.CutPrefix(address, unixPrefix); isUnix {
			return listenUnix(flag, path)
		}
		if address == noListener && flag != "listen" {
			return nil, nil
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, usererror.OfFlag(flag, "%q is not an address: write HOST:PORT, such as 127.0.0.1:8080, or "+
				"unix:FILE", address)
		}
		if !serve.IsLoopback(address) && !insecure {
			switch {
			case config.Tokens == nil && config.TLS == nil:
				return nil, usererror.OfFlag(flag, "other machines reach %s: give --token-file and --tls-cert, or "+
					"--insecure to let anybody in", address)
			case config.Tokens == nil:
				config.Log.Warn("anybody who reaches the address may ask: --token-file lets in those who have "+
					"a token", "address", address)
			case config.TLS == nil:
				config.Log.Warn("tokens and rows travel in the clear: --tls-cert and --tls-key "+
					"encrypt them", "address", address)
			}
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, usererror.OfFlag(flag, "%w", err)
		}
		return l, nil
	}
	if web, err = open("listen", "127.0.0.1:8080"); err != nil {
		return nil, nil, err
	}
	if rpc, err = open("grpc-listen", "127.0.0.1:8081"); err != nil {
		return nil, nil, errors.Join(err, web.Close())
	}
	return web, rpc, nil
}

// listenUnix opens a Unix socket for this user alone. The socket is removed when it is closed.
func listenUnix(flag, path string) (net.Listener, error) {
	if path == "" || path[0] == '@' { // On Linux such a socket has no file, and so no permissions.
		return nil, usererror.OfFlag(flag, "unix:%s has no file, so others could reach it: write unix:FILE", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, usererror.OfFlag(flag, "%s exists: remove it if no server uses it, or give another name", path)
	}
	l, err := listenSocket(path)
	if err != nil {
		return nil, usererror.OfFlag(flag, "%w", err)
	}
	return l, nil
}

func closeIf(l net.Listener) error {
	if l == nil {
		return nil
	}
	return l.Close()
}

// endAtEOF makes the end of standard input end the command, if until-eof is set.
func (p *program) endAtEOF(c *call) error {
	if !c.isOn("until-eof") {
		return c.err
	}
	if from, _ := c.text("data"); from == "-" {
		return c.errorf("until-eof", "waits for the end of standard input, which --data - reads: leave one of them out")
	}
	go func() {
		io.Copy(io.Discard, os.Stdin) // An input that cannot be read counts as ended.
		p.interrupt()
	}()
	return nil
}
