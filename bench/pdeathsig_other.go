//go:build !linux

package main

import "os/exec"

// endsWithUs does nothing on systems whose kernel cannot end a command with this process.
func endsWithUs(*exec.Cmd) (done func()) { return func() {} }
