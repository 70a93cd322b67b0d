package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runCard runs card.sh with a program in place of the stub and tools in its path, and checks the code
// with which it ends, what it says, and the row of each stage in the results.
func runCard(t *testing.T, program string, tools map[string]string, code int, says []string, environment ...string) (again *exec.Cmd, logs string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range tools {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	script, said, out, _ := card(t, map[string]string{"gpdrf-gpu": program}, append(environment, "PATH="+folder+":"+os.Getenv("PATH"))...)
	if got := exits(t, script.Run()); got != code {
		t.Fatalf("exit %d\n%s", got, said)
	}
	rows, err := os.ReadFile(filepath.Join(out, "card-stub.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range says {
		if !regexp.MustCompile("(?m)" + want).Match(append(rows, said.Bytes()...)) {
			t.Errorf("there is no %s in\n%s\n%s", want, rows, said)
		}
	}
	again = exec.Command("sh", script.Args[1])
	again.Env = script.Env
	return again, filepath.Join(out, "card-stub")
}

// withStub is the program with other lines for some of its commands.
func withStub(t *testing.T, lines ...string) string {
	t.Helper()
	head := "case $1 in\n"
	if !strings.Contains(stubs["gpdrf-gpu"], head) {
		t.Fatal("the stub has other lines")
	}
	return strings.Replace(stubs["gpdrf-gpu"], head, head+strings.Join(lines, "\n")+"\n", 1)
}

// A card that cannot be used has a row, whatever its start dies of, and all that it has said.
func TestCardDies(t *testing.T) {
	for line, reason := range map[string]string{
		`info) echo "it burns"; kill -SEGV $$ ;;`:                                                              "exit 139: ",
		`info) echo "no cuda   the NVIDIA driver sees no GPU" ;;`:                                              "no cuda   the NVIDIA driver sees no GPU",
		`info) echo "device    cuda:0 (cuda:0:f32): a stub, which cannot be used: loading: CUDA error 209" ;;`: "cannot be used: loading: CUDA error 209",
	} {
		_, logs := runCard(t, withStub(t, line), nil, 2, []string{`"stage": "start", "status": "FAILED", .*"note": "` + reason})
		if text, err := os.ReadFile(filepath.Join(logs, "start.log")); err != nil || len(text) == 0 {
			t.Errorf("what the start has said is %q, %v", text, err)
		}
	}
}

// Three starts are timed apart. Machine code that the driver refuses is no failure, and PTX is.
func TestCardStarts(t *testing.T) {
	refuse := func(image string) string {
		return `info) [ "$GPDRF_CUDA_IMAGE" != ` + image + ` ] || { echo "device    cuda:0 (cuda:0:f32): a stub, which cannot be used: error 222"; exit; }
	echo "device    cuda:0 (cuda:0:f32): a stub, kernels_sm80.ptx" ;;`
	}
	runCard(t, withStub(t), nil, 0, []string{`^start +ok .*cubin \d+ ms, cold \d+ ms, cached \d+ ms, driver`, `"details": {"cubin_ms": \d+, "cold_ms": \d+, "cached_ms": \d+}`}, "STAGES=start")
	runCard(t, withStub(t, refuse("cubin")), nil, 0, []string{`start +ok .*cubin: error 222, cold \d+ ms, cached`}, "STAGES=start")
	runCard(t, withStub(t, refuse("ptx")), nil, 1, []string{`start +FAILED .*cubin \d+ ms, cold: error 222, cached: error 222`}, "STAGES=start")
}

// The gradients are checked with machine code alone and with PTX. A failure keeps its whole log, and
// can be repeated alone.
func TestCardChecks(t *testing.T) {
	fails := `check) [ "$GPDRF_CUDA_IMAGE" = ptx ] || { seq 100; echo "✗ differs"; exit 1; }; echo "✓ agrees" ;;`
	again, logs := runCard(t, withStub(t, fails), nil, 1, []string{`check-cubin +FAILED .*exit 1: ✗ differs`, `check-ptx +ok .*✓ agrees`}, "STAGES=check")
	if text, err := os.ReadFile(filepath.Join(logs, "check-cubin.log")); err != nil || !strings.Contains(string(text), "\n1\n2\n") {
		t.Errorf("the log is cut: %s, %v", text, err)
	}
	again.Env = append(again.Env, "AGAIN=failed")
	text, err := again.CombinedOutput()
	if exits(t, err) != 1 || !strings.Contains(string(text), "check-cubin: begins") || !strings.Contains(string(text), "check-ptx: there is a result") {
		t.Errorf("%v\n%s", err, text)
	}
	none := `check) [ "$GPDRF_CUDA_IMAGE" = ptx ] || { echo "gpdrf-gpu: GPDRF_CUDA_IMAGE=cubin: the program has no machine code of it"; exit 2; }; echo "✓ agrees" ;;`
	runCard(t, withStub(t, none), nil, 0, []string{`check-cubin +not run .* no machine code`, `check-ptx +ok`}, "STAGES=check")
}

// Equal trainings make equal models, with recorded steps and without.
func TestCardBits(t *testing.T) {
	train := func(model string) string {
		return `train) while [ $# -gt 1 ]; do shift; [ "$1" != --out ] || folder=$2; done; mkdir "$folder"; echo ` + model + ` >"$folder/model.safetensors" ;;`
	}
	runCard(t, withStub(t, train("equal")), nil, 0, []string{`bits +ok .*5 trainings make one model`}, "STAGES=bits")
	runCard(t, withStub(t, train("$GPDRF_CUDA_GRAPH")), nil, 1, []string{`bits +FAILED .*the trainings 4 5 differ from the first`}, "STAGES=bits")
	runCard(t, withStub(t, `train) echo "no memory"; exit 1 ;;`), nil, 1, []string{`bits +FAILED .*exit 1: no memory`}, "STAGES=bits")
}

// The report of nvidia-smi is kept, and its clocks while something is timed.
func TestCardClocks(t *testing.T) {
	smi := `#!/bin/sh
case "$*" in
-q) echo "Product Name: a stub" ;;
*driver_version*) echo 580.1 ;;
*clocks*) printf 'timestamp, index, clocks.current.sm [MHz]\nt, 0, 1980\nt, 0, 1410\n'; sleep 60 ;;
esac
`
	_, logs := runCard(t, withStub(t, `bench) sleep 0.3; echo '  "steps_per_second": 5,' ;;`), map[string]string{"nvidia-smi": smi}, 0,
		[]string{`bench-mnist +ok .*steps_per_second 5, SM at 1410 to 1980 MHz`}, "STAGES=bench-mnist")
	for name, want := range map[string]string{"nvidia-smi.txt": "a stub", "bench-mnist.clocks.csv": "1410", "bench-mnist.log": "steps_per_second"} {
		if text, err := os.ReadFile(filepath.Join(logs, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	runCard(t, withStub(t), nil, 0, []string{`bench-mnist +ok .*steps_per_second 5$`}, "STAGES=bench-mnist", "PATH="+os.Getenv("PATH"))
}
