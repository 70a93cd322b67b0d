//go:build cuda && cgo && mpi && linux

// These tests share work among GPUs by NCCL.

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/dist/disttest"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The tests run on the driver test double, with a stand-in for NCCL (dist/nccl/testdata).

// newNCCL returns a launcher that sets the variables of torchrun, on a machine with the stand-in.
func newNCCL(t *testing.T) *launcher {
	t.Helper()
	if os.Getenv("GPDRF_CUDA_DRIVER") == "" {
		t.Skip("needs the driver test double: make test-cuda-script")
	}
	l := newLauncher(t, "openmpi")
	library := l.file("libnccl.so.2")
	c := exec.Command("cc", "-O1", "-fPIC", "-shared", "-o", library, "../../dist/nccl/testdata/fakenccl.c",
		"-ldl", "-lrt")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("GPDRF_NCCL", library)
	t.Setenv("EMU_DEVICES", "2")
	return l
}

// torchrun starts two ranks, and returns their exit codes and their outputs. Rank 1 has the arguments of rank 0, unless
// there are others after " : ".
func (l *launcher) torchrun(t *testing.T, words string, env ...string) (codes [2]int, said string) {
	t.Helper()
	port := disttest.FreePort(t)
	own := strings.Split(words, " : ")
	var jobs [2]*job
	for r := range jobs {
		place := []string{fmt.Sprint("RANK=", r), fmt.Sprint("LOCAL_RANK=", r), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
			"MASTER_PORT=" + port}
		jobs[r] = l.start(t, 0, own[min(r, len(own)-1)], append(place, env...)...)
	}
	for r, j := range jobs {
		codes[r] = j.end(t)
		said += j.said.String()
	}
	return codes, said
}

const onGPUs = "train --data rows.csv --inducing 6 --features 5 --set latents=2 --batch 21 " +
	"--set eval-samples=2 --steps 12 " +
	"--device cuda:f64 --set checkpoint-every=5 --set report=false --out "

// Two GPUs train the same model as one. It is equal up to rounding, and byte for byte with --deterministic.
func TestNCCLTraining(t *testing.T) {
	l := newNCCL(t)
	elbo := func(run, said string) float64 {
		r, err := rundir.OpenRun(l.file(run))
		if err != nil || r.Result == nil {
			t.Fatalf("%v: %s", err, said)
		}
		return float64(r.Result.ELBO)
	}
	for name, more := range map[string]string{"plain": "", "fixed": " --set deterministic=true"} {
		if code, said := l.run(t, 0, onGPUs+name+"1"+more); code != 0 {
			t.Fatalf("exit code %d: %s", code, said)
		}
		codes, said := l.torchrun(t, onGPUs+name+"2"+more)
		if codes != [2]int{} || strings.Count(said, "2 ranks share the training, by NCCL 2.27.3 (") != 1 {
			t.Fatalf("%s: exit codes %d: %s", name, codes, said)
		}
		if more != "" {
			l.sameModel(t, name+"1", name+"2", said)
		}
		one, two := elbo(name+"1", said), elbo(name+"2", said)
		if !(math.Abs(one-two) <= 1e-9*math.Abs(one)) {
			t.Errorf("%s: the bound is %.12g on two GPUs, and %.12g on one", name, two, one)
		}
	}
	code, said := l.run(t, 2, onGPUs+"mpi --set deterministic=true")
	if code != 0 || strings.Count(said, "2 ranks share the training, by NCCL 2.27.3 (") != 1 {
		t.Fatalf("by mpirun: exit code %d: %s", code, said)
	}
	l.sameModel(t, "fixed1", "mpi", said)
}

// Two GPUs share eval and predict, and write the same bytes as one.
func TestNCCLPredict(t *testing.T) {
	l := newNCCL(t)
	if code, said := l.run(t, 0, onGPUs+"run"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for _, words := range []string{"eval run --json --quiet --device cuda:f64",
		"predict run --data rows.csv --out - --quiet --device cuda:f64"} {
		code, want := l.run(t, 0, words)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, want)
		}
		if codes, said := l.torchrun(t, words); codes != [2]int{} || said != want {
			t.Errorf("%s: exit codes %d: %s, expected %s", words, codes, said, want)
		}
	}
}

// If a rank fails in any way, both end, and the message names rank and machine; the run can be resumed. The test finds
// a sum that does not wait for the gradient.
func TestNCCLFaults(t *testing.T) {
	l := newNCCL(t)
	host := must.Get(os.Hostname())(t)
	zero, one := "rank 0 of 2 on "+host, "rank 1 of 2 on "+host
	for _, c := range []struct{ fault, more, want string }{
		{"die 1 25", "", zero + " has lost another rank (sum): NCCL: remote process exited. The job ends; "},
		{"hang 1 25", " --set comm-timeout=10s", zero + " has waited 10s for the other ranks (sum): "},
		{"start 1 0", " --set comm-timeout=5s", zero + " has waited 5s for the other ranks (start): "},
		{"error 1 5", "", one + ": cuda:1:f64: adding up over GPUs: ncclAllReduce: unhandled system error"},
		{"early", "", one + ": training failed at step 1 of 12: the parameters of this rank are no longer those of "},
	} {
		name := strings.Fields(c.fault)[0]
		codes, said := l.torchrun(t, onGPUs+name+c.more, "FAKE_NCCL="+c.fault, minTimeoutVariable+"=5s")
		if codes[0] == 0 || codes[1] == 0 || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit codes %d, expected %q: %s", c.fault, codes, c.want, said)
		}
		if name != "die" {
			continue
		}
		if code, said := l.run(t, 0, "train --resume "+name); code != 0 {
			t.Errorf("%s: resumed: exit code %d: %s", c.fault, code, said)
		}
	}
}

// Work that processes of torchrun cannot share is refused on all of them, with one message that names a remedy.
func TestNCCLRefused(t *testing.T) {
	l := newNCCL(t)
	const alone = "share a training by NCCL alone, which joins GPUs: "
	for _, c := range []struct{ words, env, want string }{
		{onGPUs + "x", "EMU_DEVICES=1", "ranks 0 and 1 have the same GPU, and NCCL joins GPUs: start as many"},
		{onGPUs + "x", "GPDRF_NCCL=none", alone + "no NCCL: GPDRF_NCCL=none; or start them with mpirun"},
		{strings.Replace(onGPUs, "cuda:f64", "cpu", 1) + "x", "", alone + "cpu:f32 is not a GPU; or start them with "},
		{onGPUs + "x : " + onGPUs + "x --lr 0.5", "", "its option lr is 0.5, and that of rank 0 on "},
		{onGPUs + "x", "MASTER_ADDR=", `MASTER_ADDR="" and MASTER_PORT=`},
	} {
		codes, said := l.torchrun(t, c.words, c.env)
		if codes != [2]int{2, 2} || !strings.Contains(said, c.want) || strings.Count(said, "gpdrf-gpu: ") != 1 {
			t.Errorf("%s, %s: exit codes %d, expected %q once: %s", c.words, c.env, codes, c.want, said)
		}
	}
	if left, _ := filepath.Glob(l.file("*x*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
