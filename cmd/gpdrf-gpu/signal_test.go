package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// interruptCommand: interrupt CODE TEXT COMMAND … runs a command, sends it Ctrl-C as soon as it has written
// the text to standard error, and expects the exit code.
func interruptCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := stop(ts, syscall.SIGINT, "interrupted.err", args[1:2], args[2:])
	checkCode(ts, err, args[0])
}

// interruptTwiceCommand: interrupttwice CODE TEXT COMMAND … sends it Ctrl-C again as soon as it has answered the first.
func interruptTwiceCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := stop(ts, syscall.SIGINT, "interrupted.err", []string{args[1], "Ctrl-C again to quit at once"}, args[2:])
	checkCode(ts, err, args[0])
}

// killCommand: kill9 FILE TEXT COMMAND … runs a command and kills it, as kill -9 does, as soon as the file holds the text.
func killCommand(ts *testscript.TestScript, neg bool, args []string) {
	var exit *exec.ExitError
	if err := stop(ts, syscall.SIGKILL, args[0], args[1:2], args[2:]); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		ts.Fatalf("ended before it was killed: %v", err)
	}
}

// stop runs a command, sends it a signal as soon as a file holds a text, for each of some texts, and waits for it.
func stop(ts *testscript.TestScript, signal os.Signal, file string, texts, args []string) error {
	path, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[0]))
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "PATH="+ts.Getenv("PATH"), "GPDRF_SIMD="+ts.Getenv("GPDRF_SIMD"))
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := os.Create(ts.MkAbs("interrupted.err"))
	ts.Check(err)
	cmd.Stderr = stderr
	ts.Check(cmd.Start())
	for _, text := range texts {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if found, err := os.ReadFile(ts.MkAbs(file)); err == nil && strings.Contains(string(found), text) {
				break
			}
		}
		ts.Check(cmd.Process.Signal(signal))
	}
	defer time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }).Stop()
	ended := cmd.Wait()
	ts.Check(stderr.Close())
	ts.Check(os.WriteFile(ts.MkAbs("interrupted.out"), stdout.Bytes(), 0o666))
	return ended
}

var seconds = regexp.MustCompile(`"seconds": ?[-+.e0-9]+`)

// sameRunCommand: samerun A B compares two run folders, byte by byte but for seconds.
func sameRunCommand(ts *testscript.TestScript, neg bool, args []string) {
	a, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a) != len(b) {
		ts.Fatalf("%s holds %v, %s %v", args[0], a, args[1], b)
	}
	for _, entry := range a {
		read := func(folder string) string {
			return seconds.ReplaceAllString(ts.ReadFile(filepath.Join(folder, entry.Name())), "")
		}
		if read(args[0]) != read(args[1]) {
			ts.Fatalf("%s of %s and %s are not the same", entry.Name(), args[0], args[1])
		}
	}
}
