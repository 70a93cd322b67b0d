package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// cardRun is a call of card.sh with a program, and with tools that replace tools of this machine.
type cardRun struct {
	program, stages string // stages; "" for all
	tools           map[string]string
	code            int      // exit status
	says            []string // patterns in its rows and on its screen
}

// run makes the call, and gives what repeats it and the folder of its logs.
func (c cardRun) run(t *testing.T) (again *exec.Cmd, logs string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range c.tools {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o777))
	}
	environment := []string{"PATH=" + folder + ":" + os.Getenv("PATH")}
	if c.stages != "" {
		environment = append(environment, "STAGES="+c.stages)
	}
	script, said, out, _ := card(t, map[string]string{"gpdrf-gpu": c.program}, environment...)
	if got := exits(t, script.Run()); got != c.code {
		t.Fatalf("exit %d\n%s", got, said)
	}
	rows := must.Get(os.ReadFile(filepath.Join(out, "card-stub.jsonl")))(t)
	for _, want := range c.says {
		if !regexp.MustCompile("(?m)" + want).Match(append(rows, said.Bytes()...)) {
			t.Errorf("there is no %s in\n%s\n%s", want, rows, said)
		}
	}
	again = exec.Command("sh", script.Args[1])
	again.Env = script.Env
	return again, filepath.Join(out, "card-stub")
}

// withStub returns the program with other lines for some of its commands.
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
	for _, c := range []struct{ line, reason string }{
		{`info) echo "it burns"; kill -SEGV $$ ;;`, "exit 139: "},
		{`info) echo "no cuda   the NVIDIA driver sees no GPU" ;;`, "no cuda   the NVIDIA driver sees no GPU"},
		{`info) echo "device    cuda:0 (cuda:0:f32): a stub, which cannot be used: loading: CUDA error 209" ;;`,
			"cannot be used: loading: CUDA error 209"},
	} {
		_, logs := cardRun{program: withStub(t, c.line), code: 2,
			says: []string{`"stage": "start", "status": "FAILED", .*"note": "` + c.reason}}.run(t)
		if text, err := os.ReadFile(filepath.Join(logs, "start.log")); err != nil || len(text) == 0 {
			t.Errorf("what the start has said is %q, %v", text, err)
		}
	}
}

// Three starts are timed apart. Machine code that the driver refuses is no failure, and PTX is.
func TestCardStarts(t *testing.T) {
	const trains = `train) exit ;;`
	refuse := func(image string) string {
		return `train) [ "$GPDRF_CUDA_IMAGE" != ` + image + ` ] || { echo "error 222"; exit 2; }; exit ;;`
	}
	for _, c := range []cardRun{
		{program: withStub(t, trains), says: []string{`^start +ok .*cubin \d+ ms, cold \d+ ms, cached \d+ ms, driver`,
			`"details": {"cubin_ms": \d+, "cold_ms": \d+, "cached_ms": \d+}`}},
		{program: withStub(t, refuse("cubin")),
			says: []string{`start +ok .*cubin: exit 2, error 222, cold \d+ ms, cached`}},
		{program: withStub(t, refuse("ptx")), code: 1,
			says: []string{`start +FAILED .*cubin \d+ ms, cold: exit 2, error 222, cached: exit 2, error 222`}},
	} {
		c.stages = "start"
		c.run(t)
	}
}

// The gradients are checked with machine code alone and with PTX. A failure keeps its whole log, and can be repeated
// alone.
func TestCardChecks(t *testing.T) {
	fails := `check) [ "$GPDRF_CUDA_IMAGE" = ptx ] || { seq 100; echo "✗ differs"; exit 1; }; echo "✓ agrees" ;;`
	again, logs := cardRun{program: withStub(t, fails), stages: "check", code: 1,
		says: []string{`check-cubin +FAILED .*exit 1: ✗ differs`, `check-ptx +ok .*✓ agrees`}}.run(t)
	log, err := os.ReadFile(filepath.Join(logs, "check-cubin.log"))
	if err != nil || !strings.Contains(string(log), "\n1\n2\n") {
		t.Errorf("the log is cut: %s, %v", log, err)
	}
	again.Env = append(again.Env, "AGAIN=failed")
	text, err := again.CombinedOutput()
	for _, want := range []string{"check-cubin: begins", "check-ptx: there is a result"} {
		if exits(t, err) != 1 || !strings.Contains(string(text), want) {
			t.Errorf("%v, without %q\n%s", err, want, text)
		}
	}
	none := `check) [ "$GPDRF_CUDA_IMAGE" = ptx ] || {
		echo "gpdrf-gpu: GPDRF_CUDA_IMAGE=cubin: the program has no machine code of it"
		exit 2
	}
	echo "✓ agrees" ;;`
	cardRun{program: withStub(t, none), stages: "check",
		says: []string{`check-cubin +not run .* no machine code`, `check-ptx +ok`}}.run(t)
}

// Equal trainings make equal models, with recorded steps and without.
func TestCardBits(t *testing.T) {
	train := func(model string) string {
		return `train) while [ $# -gt 1 ]; do shift; [ "$1" != --out ] || folder=$2; done
	mkdir "$folder"
	echo ` + model + ` >"$folder/model.safetensors" ;;`
	}
	for _, c := range []cardRun{
		{program: withStub(t, train("equal")), says: []string{`bits +ok .*5 trainings make one model`}},
		{program: withStub(t, train("$GPDRF_CUDA_GRAPH")), code: 1,
			says: []string{`bits +FAILED .*the trainings 4 5 differ from the first`}},
		{program: withStub(t, `train) echo "no memory"; exit 1 ;;`), code: 1,
			says: []string{`bits +FAILED .*exit 1: no memory`}},
	} {
		c.stages = "bits"
		c.run(t)
	}
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
	slow := withStub(t, `bench) sleep 0.3; echo '  "steps_per_second": 5,' ;;`)
	_, logs := cardRun{program: slow, stages: "bench-mnist", tools: map[string]string{"nvidia-smi": smi},
		says: []string{`bench-mnist +ok .*steps_per_second 5, SM at 1410 to 1980 MHz`}}.run(t)
	for name, want := range map[string]string{
		"nvidia-smi.txt": "a stub", "bench-mnist.clocks.csv": "1410", "bench-mnist.log": "steps_per_second",
	} {
		if text, err := os.ReadFile(filepath.Join(logs, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	cardRun{program: withStub(t), stages: "bench-mnist", says: []string{`bench-mnist +ok .*steps_per_second 5$`}}.run(t)
}

// Starts that the end of a call cuts have no row: the next call runs them. The first takes nearly all of its time, by
// the clock.
func TestCardStartsCut(t *testing.T) {
	slow := withStub(t, `train) [ ! -e "$PROCESS" ] || exec sleep 60; touch "$PROCESS" ;;`)
	clock := "#!/bin/sh\n[ ! -e \"$PROCESS\" ] || set -- -d '1499 seconds' \"$@\"\nexec /bin/date \"$@\"\n"
	_, logs := cardRun{program: slow, stages: "start", tools: map[string]string{"date": clock}, code: 3,
		says: []string{"^start: stopped after "}}.run(t)
	if rows, err := os.ReadFile(logs + ".jsonl"); err != nil || len(rows) > 0 {
		t.Errorf("%s, %v", rows, err)
	}
}
