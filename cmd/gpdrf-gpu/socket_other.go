//go:build !unix

package main

import "net"

// listenSocket opens a Unix socket. The permissions of its folder control access.
func listenSocket(path string) (net.Listener, error) { return net.Listen("unix", path) }
