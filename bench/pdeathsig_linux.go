package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endsWithUs lets the kernel end a command when this process ends in any way. Otherwise the command would compete with
// the cells of the next process. The thread that starts the command has to live until done is called.
func endsWithUs(cmd *exec.Cmd) (done func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
