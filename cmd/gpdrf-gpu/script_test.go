package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gpdrf-gpu": func() { os.Exit(start(newPausing(os.Stderr))) }})
}

// The scripts in testdata are the command line's manual by example. Beyond testscript's own
// commands they use exit, json and truncate, below, interrupt, interrupttwice, hangup, kill9, flip
// and samerun; the tables in testdata are in each script's folder.
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
