//go:build !unix

package main

import "net"

// listenSocket opens a Unix socket. Its folder says who may connect to it.
func listenSocket(path string) (net.Listener, error) { return net.Listen("unix", path) }
