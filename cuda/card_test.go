package cuda

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// stubs stand for the programs of make card-pack: a card that works, a training that it holds up, so that it does not
// end when it is asked to, and tests that pass.
var stubs = map[string]string{
	"gpdrf-gpu": `#!/bin/sh
case $1 in
--version) echo gpdrf-gpu ;;
check) echo "✓ agrees" ;;
info) echo "device    cuda:0 (cuda:0:f32): a stub, kernels_sm80.ptx" ;;
bench) echo '  "steps_per_second": 5,' ;;
train)
	trap '' TERM
	echo $$ >"$PROCESS.new"
	mv "$PROCESS.new" "$PROCESS"
	while :; do sleep 1; done
	;;
esac
`,
	"conformance.test": "#!/bin/sh\necho TestF64\n",
	"gpu.test":         "#!/bin/sh\necho PASS\n", "cuda.test": "#!/bin/sh\necho PASS\n",
	"nccl.test": "#!/bin/sh\necho PASS\n", "train.test": "#!/bin/sh\necho PASS\n",
}

// card prepares card.sh beside stubs, some of which may be replaced, with variables of the environment. It writes
// results to a folder that it gives, and names of processes to another.
func card(t *testing.T, replaced map[string]string, environment ...string) (
	script *exec.Cmd, said *bytes.Buffer, out, process string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("card.sh is for Linux")
	}
	folder := t.TempDir()
	out, process = filepath.Join(folder, "out"), filepath.Join(folder, "process")
	files := map[string][]byte{"commit": []byte("stub\n"), "system": []byte("linux/stub\n")}
	for _, name := range []string{"card.sh", "stages.sh"} {
		files[name] = must.Get(os.ReadFile(name))(t)
	}
	for name, program := range stubs {
		if other, ok := replaced[name]; ok {
			program = other
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write([]byte(program))
		must.OK(t, w.Close())
		files[name+".gz"] = packed.Bytes()
	}
	for name, content := range files {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), content, 0o666))
	}
	said = new(bytes.Buffer)
	script = exec.Command("sh", filepath.Join(folder, "card.sh"))
	script.Env = append(os.Environ(), append(environment, "OUT="+out, "PROCESS="+process)...)
	script.Stdout, script.Stderr = said, said
	return script, said, out, process
}

// exits returns the code with which a command ends.
func exits(t *testing.T, err error) int {
	t.Helper()
	if code, ok := errors.AsType[*exec.ExitError](err); ok {
		return code.ExitCode()
	}
	must.OK(t, err)
	return 0
}

// A stage that hangs is stopped, and the next one runs. A later call runs neither again.
func TestCardLimit(t *testing.T) {
	script, said, out, process := card(t, nil, "STAGES=train-powerplant driver", "LIMIT=1", "TOTAL=600")
	if code := exits(t, script.Run()); code != 1 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	gone(t, process)
	lines := must.Get(os.ReadFile(filepath.Join(out, "card-stub.jsonl")))(t)
	for _, want := range []string{
		`{"stage": "train-powerplant", "status": "FAILED", `, `"note": "longer than 1 s"`,
		`{"stage": "driver", "status": "ok", `,
	} {
		if !strings.Contains(string(lines), want) {
			t.Errorf("there is no %s in\n%s", want, lines)
		}
	}
	again := exec.Command("sh", script.Args[1])
	again.Env = script.Env
	text, err := again.CombinedOutput()
	if code := exits(t, err); code != 1 || strings.Contains(string(text), "begins") {
		t.Errorf("exit %d\n%s", code, text)
	}
}

// Ctrl-C ends the script at once, and the programs that it has started.
func TestCardInterrupt(t *testing.T) {
	script, said, _, process := card(t, nil, "STAGES=train-powerplant", "LIMIT=600", "TOTAL=900")
	must.OK(t, script.Start())
	for err := os.ErrNotExist; err != nil; _, err = os.Stat(process) {
		time.Sleep(10 * time.Millisecond)
	}
	must.OK(t, script.Process.Signal(syscall.SIGINT))
	if code := exits(t, script.Wait()); code != 130 {
		t.Errorf("exit %d\n%s", code, said)
	}
	gone(t, process)
}

// Results that cannot be kept are an error, and the file of earlier ones stays whole.
func TestCardDiskFull(t *testing.T) {
	script, said, out, _ := card(t, nil, "STAGES=driver")
	must.OK(t, os.Mkdir(out, 0o777))
	found, earlier := filepath.Join(out, "card-stub.jsonl"), "{\"stage\": \"check\", \"status\": \"not run\"}\n"
	must.OK(t, os.WriteFile(found, []byte(earlier), 0o666))
	must.OK(t, os.Symlink("/dev/full", found+".new"))
	if code := exits(t, script.Run()); code != 2 || !strings.Contains(said.String(), "is the disk full?") ||
		strings.Contains(said.String(), "\nwritten: ") {
		t.Errorf("exit %d\n%s", code, said)
	}
	if text, err := os.ReadFile(found); err != nil || string(text) != earlier {
		t.Errorf("%q, %v", text, err)
	}
}

// The stages answer in the order of importance, each by itself if it is asked for, and a set that was not packed is no
// failure.
func TestCardOrder(t *testing.T) {
	quick := strings.Replace(stubs["gpdrf-gpu"], "trap '' TERM", "exit 1", 1)
	script, said, _, _ := card(t, map[string]string{"gpdrf-gpu": quick}, "STAGES=", "PYTHON=false", "TOTAL=600")
	if code := exits(t, script.Run()); code != 1 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	var order []string
	for _, line := range strings.Split(said.String(), "\n") {
		stage, isOne := strings.CutSuffix(strings.Split(line, ", with ")[0], ": begins")
		stage, _, _ = strings.Cut(stage, "-")
		if isOne && !slices.Contains(order, stage) {
			order = append(order, stage)
		}
	}
	want := "start check bits conformance driver nccl parity bench peers sanitizer train ncu"
	if strings.Join(order, " ") != want {
		t.Errorf("order %v, want %s\n%s", order, want, said)
	}
	if !strings.Contains(said.String(), "mnist was not packed: GPDRF_DATA") {
		t.Errorf("%s", said)
	}
	again := exec.Command("sh", script.Args[1])
	again.Env = append(script.Env, "STAGES=driver", "AGAIN=1")
	text, err := again.CombinedOutput()
	if code := exits(t, err); code != 1 || strings.Count(string(text), ": begins") != 1 {
		t.Errorf("exit %d\n%s", code, text)
	}
}

// A tool that the machine refuses was not run.
func TestCardRefuses(t *testing.T) {
	tools := t.TempDir()
	for name, says := range map[string]string{
		"compute-sanitizer": "Error: Device not supported", "ncu": "==ERROR== LibraryNotLoaded",
	} {
		program := []byte("#!/bin/sh\necho '" + says + "'\nexit 1\n")
		must.OK(t, os.WriteFile(filepath.Join(tools, name), program, 0o777))
	}
	script, said, _, _ := card(t, nil, "STAGES=sanitizer ncu check-ptx",
		"PATH="+tools+":"+os.Getenv("PATH"))
	if err := script.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{`sanitizer-racecheck +not run .*: Device not supported`,
		`ncu +not run .*: LibraryNotLoaded`, `check-ptx +ok`} {
		if !regexp.MustCompile(`(?m)^` + want).MatchString(said.String()) {
			t.Errorf("there is no %s in\n%s", want, said)
		}
	}
}

// gone checks that the process whose number is in a file has ended. A killed one may take a moment, and its parent may
// have to see that.
func gone(t *testing.T, file string) {
	t.Helper()
	number := must.Get(os.ReadFile(file))(t)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(number)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a process is still there: %s", stat)
		}
	}
}

// A program that does not start is an error that names the system it is for.
func TestCardOtherMachine(t *testing.T) {
	script, said, _, _ := card(t, map[string]string{"gpdrf-gpu": "\x7fELF of another processor"})
	if code := exits(t, script.Run()); code != 2 ||
		!strings.Contains(said.String(), "It is for linux/stub, and this is Linux ") {
		t.Errorf("exit %d\n%s", code, said)
	}
}
