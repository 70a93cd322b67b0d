package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// pauseAt is the environment variable with the text at which the command waits for Ctrl-C. So it cannot end before the
// signal, however busy the machine is.
const pauseAt = "GPDRF_TEST_PAUSE_AT"

// pausing is the standard error of a command that waits after a text.
type pausing struct {
	mutex sync.Mutex
	to    io.Writer
	text  string
	ctrlC chan os.Signal
}

func newPausing(to io.Writer) io.Writer {
	text := os.Getenv(pauseAt)
	if text == "" {
		return to
	}
	p := &pausing{to: to, text: text, ctrlC: make(chan os.Signal, 1)}
	signal.Notify(p.ctrlC, os.Interrupt)
	return p
}

func (p *pausing) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	n, err := p.to.Write(b)
	if p.text != "" && strings.Contains(string(b), p.text) {
		p.text = ""
		select {
		case <-p.ctrlC:
		case <-time.After(20 * time.Second):
		}
		signal.Stop(p.ctrlC)
	}
	return n, err
}

// interruptCommand: interrupt CODE TEXT COMMAND … runs a command, sends it Ctrl-C as soon as it has
// written the text to standard error, and expects the exit code.
func interruptCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := stop(ts, syscall.SIGINT, "interrupted.err", args[1:2], args[2:])
	checkCode(ts, err, args[0])
}

// interruptTwiceCommand: interrupttwice CODE TEXT COMMAND … runs a command as interrupt does, and sends it Ctrl-C again
// as soon as it has answered the first.
func interruptTwiceCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := stop(ts, syscall.SIGINT, "interrupted.err", []string{args[1], "Ctrl-C again to quit at once"}, args[2:])
	checkCode(ts, err, args[0])
}

// hangupCommand: hangup CODE TEXT COMMAND … runs a command as interrupt does, and sends it the signal of a closed
// terminal.
func hangupCommand(ts *testscript.TestScript, neg bool, args []string) {
	caught := make(chan os.Signal, 1)
	// Without this, the command would ignore the signal if the tests run under nohup.
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	err := stop(ts, syscall.SIGHUP, "interrupted.err", args[1:2], args[2:])
	checkCode(ts, err, args[0])
}

// killCommand: kill9 FILE TEXT COMMAND … runs a command and kills it, as kill -9 does, as soon as
// the file holds the text.
func killCommand(ts *testscript.TestScript, neg bool, args []string) {
	var exit *exec.ExitError
	if err := stop(ts, syscall.SIGKILL, args[0], args[1:2], args[2:]); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		ts.Fatalf("ended before it was killed: %v", err)
	}
}

// patience is the longest wait for a text: under the race detector, on a busy machine, a step may take half a minute.
const patience = time.Minute

// stop runs a command and waits for its end. It sends a signal as soon as a file holds a text, for one text after the
// other.
func stop(ts *testscript.TestScript, sent os.Signal, file string, texts, args []string) error {
	path, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[0]))
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "PATH="+ts.Getenv("PATH"),
		"GPDRF_SIMD="+ts.Getenv("GPDRF_SIMD"))
	if sent == syscall.SIGINT {
		cmd.Env = append(cmd.Env, pauseAt+"="+texts[0])
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := os.Create(ts.MkAbs("interrupted.err"))
	ts.Check(err)
	cmd.Stderr = stderr
	ts.Check(cmd.Start())
	for _, text := range texts {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if found, err := os.ReadFile(ts.MkAbs(file)); err == nil && strings.Contains(string(found), text) {
				break
			}
		}
		ts.Check(cmd.Process.Signal(sent))
	}
	defer time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }).Stop()
	ended := cmd.Wait()
	ts.Check(stderr.Close())
	ts.Check(os.WriteFile(ts.MkAbs("interrupted.out"), stdout.Bytes(), 0o666))
	return ended
}

var seconds = regexp.MustCompile(`"seconds": ?[-+.e0-9]+`)

var lastColumn = regexp.MustCompile(`(?m),[^,\n]*$`)

// sameRunCommand: samerun A B compares two run folders, byte by byte, without seconds.
func sameRunCommand(ts *testscript.TestScript, neg bool, args []string) {
	a, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a) != len(b) {
		ts.Fatalf("%s holds %v, %s %v", args[0], a, args[1], b)
	}
	for _, entry := range a {
		if entry.Name() == rundir.ReportFile || entry.Name() == rundir.HistoryFile {
			continue // these files show commands and times
		}
		read := func(folder string) string {
			if entry.Name() == rundir.MetricsCSVFile { // the last column has seconds
				return lastColumn.ReplaceAllString(ts.ReadFile(filepath.Join(folder, entry.Name())), "")
			}
			return seconds.ReplaceAllString(ts.ReadFile(filepath.Join(folder, entry.Name())), "")
		}
		if read(args[0]) != read(args[1]) {
			ts.Fatalf("%s of %s and %s are not the same", entry.Name(), args[0], args[1])
		}
	}
}
