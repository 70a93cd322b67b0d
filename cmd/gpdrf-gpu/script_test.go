// This test runs the scripts in testdata, and has their commands.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gpdrf-gpu": func() { os.Exit(start(newPausing(os.Stderr))) }})
}

// The scripts in testdata are the command line's manual by example. Beyond testscript's own commands they use exit,
// json and truncate, below, interrupt, interrupttwice, hangup, kill9, flip and samerun; the tables in testdata are in
// each script's folder.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GPDRF_CUDA_DRIVER", "none") // a machine with a GPU gives the same output
			env.Setenv("DOUBLE", os.Getenv("GPDRF_CUDA_DRIVER"))
			// The race detector would sleep for a second at every exit.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			var tables []string
			for _, pattern := range []string{"testdata/houses.npz", "testdata/*.csv", "testdata/*.py"} {
				found, err := filepath.Glob(pattern)
				if err != nil {
					return err
				}
				tables = append(tables, found...)
			}
			for _, path := range tables {
				text, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(path)), text, 0o666)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "chromium":
				if browser() == "" && os.Getenv("REQUIRE_CHROMIUM") != "" {
					return false, errors.New("there is no Chromium: make chromium")
				}
				return browser() != "", nil
			case "tensorboard":
				err := exec.Command("python3", "-c", "import tensorboard").Run()
				if err != nil && os.Getenv("REQUIRE_PYTHON") != "" {
					return false, fmt.Errorf("python3 has no tensorboard: make python: %w", err)
				}
				return err == nil, nil
			case "double":
			default:
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return strings.HasSuffix(os.Getenv("GPDRF_CUDA_DRIVER"), ".so"), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitCommand, "json": jsonCommand, "interrupt": interruptCommand,
			"interrupttwice": interruptTwiceCommand, "kill9": killCommand, "samerun": sameRunCommand,
			"truncate": truncateCommand, "hangup": hangupCommand, "flip": flipCommand,
			"head": headCommand, "selfcontained": selfContainedCommand, "agrees": agreesCommand,
			"browse": browseCommand, "print": printCommand,
		},
	})
}

// exitCommand: exit CODE COMMAND … runs a command that must end with this code.
func exitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND ...")
	}
	err := ts.Exec(args[1], args[2:]...)
	checkCode(ts, err, args[0])
}

func checkCode(ts *testscript.TestScript, err error, want string) {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, expected %s", code, want)
	}
}

// jsonCommand: json FILE KEY … reads a JSON file, or stdout, and expects every key in it. a.b is the key b in the
// object a, a=v also compares the value as text, and !a must not be there.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	var root map[string]any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	ts.Check(dec.Decode(&root))
	for _, arg := range args[1:] {
		path, want, compare := strings.Cut(arg, "=")
		path, absent := strings.CutPrefix(path, "!")
		var at any = root
		found := true
		for key := range strings.SplitSeq(path, ".") {
			object, _ := at.(map[string]any)
			if at, found = object[key]; !found {
				break
			}
		}
		if found == absent {
			ts.Fatalf("%s: key %s: found is %v", args[0], path, found)
		}
		if got := fmt.Sprint(at); compare && got != want {
			ts.Fatalf("%s: %s is %s, expected %s", args[0], path, got, want)
		}
	}
}

// flipCommand: flip FILE BYTE changes a bit of a byte, counted from the end.
func flipCommand(ts *testscript.TestScript, neg bool, args []string) {
	text := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	text[len(text)-at] ^= 4
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o666))
}

// truncateCommand: truncate FILE SIZE cuts a file to a size.
func truncateCommand(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

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

// interruptCommand: interrupt CODE TEXT COMMAND … runs a command, sends it Ctrl-C as soon as it has written the text to
// standard error, and expects the exit code.
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

// killCommand: kill9 FILE TEXT COMMAND … runs a command and kills it, as kill -9 does, as soon as the file holds the
// text.
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
