//go:build mpi && linux && (amd64 || arm64)

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The tests start this program under mpirun, by the name that makes it the command. The variable sets minTimeout.
const minTimeoutVariable = "TEST_LEAST_TIMEOUT"

func init() {
	if d, err := time.ParseDuration(os.Getenv(minTimeoutVariable)); err == nil {
		minTimeout = d
	}
}

// job is a running command under mpirun.
type job struct {
	*exec.Cmd
	said bytes.Buffer
	done chan error
}

// launcher starts commands in a folder with the mpirun of Open MPI or MPICH.
type launcher struct {
	mpirun, program, folder string
}

func newLauncher(t *testing.T, name string) *launcher {
	t.Helper()
	mpirun, err := exec.LookPath("mpirun." + name)
	if err != nil && os.Getenv("REQUIRE_MPI") == "" {
		t.Skipf("there is no %s: make mpi", name)
	}
	l := &launcher{mpirun: mpirun, folder: t.TempDir()}
	l.program = filepath.Join(l.folder, "gpdrf-gpu")
	self, own := os.Executable()
	table := []byte("a,b,target\n")
	for i := range 90 {
		x := float64(i%13)/6 - 1
		table = fmt.Appendf(table, "%g,%g,%g\n", x, float64(i%7), x*x+float64(i%7)/5+.1*float64(i%3))
	}
	must.OK(t, errors.Join(err, own, os.Symlink(self, l.program),
		os.WriteFile(l.file("rows.csv"), table, 0o666)))
	return l
}

func (l *launcher) file(names ...string) string {
	return filepath.Join(append([]string{l.folder}, names...)...)
}

// start starts ranks of the command, or of several commands with ":" between them.
func (l *launcher) start(t *testing.T, ranks int, words string, env ...string) *job {
	t.Helper()
	var args []string
	if l.mpirun != "" && ranks > 0 {
		for i, command := range strings.Split(words, " : ") {
			if i > 0 {
				args = append(args, ":")
			}
			args = append(append(args, "-np", strconv.Itoa(ranks), l.program), strings.Fields(command)...)
		}
	}
	j := &job{Cmd: exec.Command(l.mpirun, args...), done: make(chan error, 1)}
	if ranks == 0 { // the command starts without mpirun
		j.Cmd = exec.Command(l.program, strings.Fields(words)...)
	}
	j.Dir, j.Stdout, j.Stderr = l.folder, &j.said, &j.said
	j.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_mpi_yield_when_idle=1", "GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0")
	j.Env = append(j.Env, env...)
	must.OK(t, j.Start())
	go func() { j.done <- j.Wait() }()
	return j
}

// end waits for a job and returns its exit code.
func (j *job) end(t *testing.T) int {
	t.Helper()
	select {
	case err := <-j.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return j.ProcessState.ExitCode()
	case <-time.After(4 * time.Minute):
		j.Process.Kill()
		t.Fatalf("%v: it hangs: %s", j.Args, j.said.String())
		return 0
	}
}

func (l *launcher) run(t *testing.T, ranks int, words string, env ...string) (code int, said string) {
	t.Helper()
	j := l.start(t, ranks, words, env...)
	return j.end(t), j.said.String()
}

// ranksOf returns the processes of the command that mpirun has started.
func (j *job) ranksOf(t *testing.T, program string) (pids []int) {
	t.Helper()
	stats := must.Get(filepath.Glob("/proc/[0-9]*/stat"))(t)
	parents := map[int]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	for pid := range parents {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if !strings.HasPrefix(string(line), program+"\x00") {
			continue
		}
		for up := pid; up > 1; up = parents[up] {
			if up == j.Process.Pid {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// waitFor waits until the log of a run has a step.
func (l *launcher) waitFor(t *testing.T, j *job, run string, step int) {
	t.Helper()
	for range 6000 {
		text, _ := os.ReadFile(l.file(run, rundir.MetricsFile))
		if strings.Contains(string(text), fmt.Sprintf(`"step":%d,`, step)) {
			return
		}
		select {
		case <-j.done:
			t.Fatalf("it has ended before step %d: %s", step, j.said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatalf("no step %d: %s", step, j.said.String())
}

const sharedRun = "train --data rows.csv --inducing 8 --features 8 --batch 40 --set deterministic=true " +
	"--steps %d --set checkpoint-every=20 --set report=false --out %s"

func (l *launcher) sameModel(t *testing.T, a, b, said string) {
	t.Helper()
	x, errX := os.ReadFile(l.file(a, rundir.ModelFile))
	y, errY := os.ReadFile(l.file(b, rundir.ModelFile))
	if err := errors.Join(errX, errY); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s are different models: %s", a, b, said)
	}
}

// A training has the same bytes on 1, 2 and 4 processes of each MPI, and so has a shared test. Only rank 0 prints and
// writes.
func TestRanksDeterministic(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich", "abi"} {
		t.Run(name, func(t *testing.T) {
			l := newLauncher(t, strings.Replace(name, "abi", "mpich", 1))
			var env []string
			if name == "abi" { // a double over MPICH stands for a library with the standard ABI
				double := l.file("libmpi_abi.so.1")
				compile := exec.Command("cc", "-O1", "-fPIC", "-shared", "-o", double,
					"../../dist/mpi/testdata/abi.c", "-ldl")
				if out, err := compile.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				env = []string{"GPDRF_MPI=" + double}
			}
			if code, said := l.run(t, 0, fmt.Sprintf(sharedRun, 60, "one")); code != 0 {
				t.Fatalf("exit code %d: %s", code, said)
			}
			for _, ranks := range []int{1, 2, 4} {
				// Ranks of MPICH are slow if they share a processor.
				if ranks != 2 && name != "openmpi" {
					continue
				}
				out := fmt.Sprint("run", ranks)
				code, said := l.run(t, ranks, fmt.Sprintf(sharedRun, 60, out), env...)
				if code != 0 || strings.Count(said, "run folder: ") != 1 || ranks > 1 &&
					strings.Count(said, "ranks share the training") != 1 {
					t.Errorf("%s, %d ranks: exit code %d: %s", name, ranks, code, said)
				}
				l.sameModel(t, "one", out, said)
				alone, shared := l.result(t, "one"), l.result(t, out)
				if shared.Seconds = alone.Seconds; !reflect.DeepEqual(shared, alone) {
					t.Errorf("%s, %d ranks: the result is %+v, of one process %+v", name, ranks, shared, alone)
				}
			}
		})
	}
}

func (l *launcher) result(t *testing.T, name string) *rundir.Result {
	t.Helper()
	return must.Get(rundir.OpenRun(l.file(name)))(t).Result
}

// Ranks share eval and predict, and write the same bytes as one process.
func TestRanksPredict(t *testing.T) {
	l := newLauncher(t, "openmpi")
	if code, said := l.run(t, 0, fmt.Sprintf(sharedRun, 30, "run")); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for _, words := range []string{"eval run --json --quiet", "predict run --data rows.csv --out - --quiet",
		"predict run --data rows.csv --skip-bad bad.csv --out - --quiet"} {
		code, want := l.run(t, 0, words)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, want)
		}
		if code, said := l.run(t, 2, words); code != 0 || said != want {
			t.Errorf("%s on two ranks: exit code %d: %s, expected %s", words, code, said, want)
		}
	}
	for words, want := range map[string]string{
		"predict run --data - --out x.csv":                                "--data -: several processes read the rows",
		"eval run : eval run --samples 7":                                 "its samples is 7, and that of rank 0 on ",
		"predict none --data rows.csv --out x.csv":                        "none",
		"predict run --data rows.csv --out x.csv : eval run --device cpu": "",
	} {
		ranks := 2
		if strings.Contains(words, " : ") {
			ranks = 1
		}
		if code, said := l.run(t, ranks, words); code != 2 || !strings.Contains(said, want) ||
			strings.Count(said, "gpdrf-gpu: ") != 1 {
			t.Errorf("%s: exit code %d, expected 2 and %q: %s", words, code, want, said)
		}
	}
	if left, _ := filepath.Glob(l.file("*x.csv*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Ranks with a time limit take the steps that rank 0 has planned, and end with one model.
func TestRanksTimeLimit(t *testing.T) {
	l := newLauncher(t, "openmpi")
	code, said := l.run(t, 2, "train --data rows.csv --inducing 8 --features 8 --batch 40 --time-limit 6s "+
		"--set report=false --out timed")
	// rank 0 alone notes how many steps fit: at the start, and after attempts that a busy machine made late
	notes := regexp.MustCompile(`time limit 6s[^:]*: \d+ steps`).FindAllString(said, -1)
	twice := slices.ContainsFunc(notes, func(note string) bool { return strings.Count(said, note) != 1 })
	if code != 0 || len(notes) == 0 || twice || strings.Count(said, "run folder: ") != 1 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if r := l.result(t, "timed"); r == nil || !(r.Steps >= 10) {
		t.Errorf("the result is %+v: %s", r, said)
	}
	// An option of one rank only makes the ranks differ.
	code, said = l.run(t, 1, fmt.Sprintf(sharedRun, 10, "x")+" : "+
		strings.Replace(fmt.Sprintf(sharedRun, 10, "x"), "--steps 10", "--time-limit 20s", 1))
	if code != 2 || strings.Count(said, "gpdrf-gpu: ") != 1 || !strings.Contains(said, "its option ") {
		t.Errorf("a limit of one rank: exit code %d: %s", code, said)
	}
}

// Ranks with different tasks are refused with exit code 2 and one line with the reason. So is work that ranks cannot
// share. No files are left.
func TestRanksRefused(t *testing.T) {
	const small = "train --data rows.csv --inducing 8 --steps 10 --set report=false --out x"
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			l := newLauncher(t, name)
			few := []byte("a,b,target\n1,2,3\n4,5,6\n7,8,10\n")
			must.OK(t, os.WriteFile(l.file("few.csv"), few, 0o666))
			for i, c := range []struct {
				words, want string
				ranks       int
				env         []string
			}{
				{small + " : " + small + " --lr 0.5", "its option lr is 0.5, and that of rank 0 on ", 1, nil},
				{small + " : " + small + " --device cpu:f64", "its device is cpu:f64 with ", 1, nil},
				{small + " : " + strings.Replace(small, "rows.csv", "none.csv", 1), "none.csv", 1, nil},
				{strings.Replace(small, "rows.csv", "none.csv", 1), "none.csv", 2, nil},
				{small + " --cv 5", "--cv: several processes share one training only", 2, nil},
				{small + " --set ensemble=3", "preset best and ensemble train several models", 2, nil},
				{small + " --batch 1", "--batch: 1 rows cannot be shared by 2", 2, nil},
				{strings.Replace(small, "rows.csv", "few.csv", 1), "--batch: 2 rows cannot be shared by 3", 3, nil},
				{small, "which cannot share a training: no MPI library: tried /nowhere.so", 2,
					[]string{"GPDRF_MPI=/nowhere.so"}},
				{small, "srun has started 2 processes without PMI", 0, []string{"GPDRF_MPI=libmpi.so.40",
					"SLURM_JOB_ID=5", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=2"}},
				{small, `WORLD_SIZE="" is not a number`, 0, []string{"RANK=1"}},
			} {
				if name == "mpich" && i > 0 && c.want != "none.csv" {
					continue // the exit code of a job depends on the launcher, but its message does not
				}
				code, said := l.run(t, c.ranks, c.words, c.env...)
				if code != 2 || !strings.Contains(said, c.want) {
					t.Errorf("%s: %s: exit code %d, expected 2 and %q: %s", name, c.words, code, c.want, said)
				}
				if strings.Count(said, "gpdrf-gpu: ") != 1 {
					t.Errorf("%s: %s: not one line: %s", name, c.words, said)
				}
			}
			if left, _ := filepath.Glob(l.file("*x*")); len(left) > 0 {
				t.Errorf("%s: left: %v", name, left)
			}
		})
	}
}
