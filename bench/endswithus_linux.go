package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endsWithUs lets the kernel end a command when this process ends, however that happens: it would
// compete with the cells of the next. The thread that starts it has to live until done is called.
func endsWithUs(cmd *exec.Cmd) (done func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
