package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/best"
)

const (
	suiteThreads = 2
	suiteSeed    = 1 // seed of every method; ours have it as their default
)

// errMissing is the error of a cell that cannot be run here. Such a cell is left out, and has no record.
var errMissing = errors.New("left out")

// clear removes what an earlier run of a cell has left.
func (c suiteCell) clear() error {
	if err := os.RemoveAll(c.out()); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(c.out()), 0o777)
}

// run trains and scores a cell. A failure of the method is part of the record; after an error there is no record.
func (c suiteCell) run(ctx context.Context, now stamp) (*suiteRecord, error) {
	if why := c.missing(); why != "" {
		return nil, fmt.Errorf("%w: %s", errMissing, why)
	}
	folder, rows, err := c.set.prepare(c.fold)
	if err != nil {
		return nil, err
	}
	if err := c.clear(); err != nil {
		return nil, err
	}
	seconds := timeFor(rows)
	r := &suiteRecord{Set: c.set.name, Fold: c.fold, Method: c.method.name,
		Command: c.command(seconds), Seed: suiteSeed, stamp: now,
		Date: time.Now().UTC().Format(time.DateOnly), Limit: seconds}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		r.Beside = otherWork(string(text))
	}
	text, err := r.runCommand(ctx, time.Duration(seconds+startUp)*time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && c.method.ours() {
		err = r.readOurs(text, c.set.kind)
	} else if err == nil {
		err = r.readPeer(text, c, folder)
	}
	if err == nil && c.method.name == "best" {
		r.Chosen, err = chosenBy(c.out())
	}
	if errors.Is(err, errMissing) {
		return nil, err
	}
	if most := overrun * float64(seconds); err == nil && r.Took > most {
		err = fmt.Errorf("it took %.1f s of %d s", r.Took, seconds)
	}
	if err != nil {
		r.Error, r.Scores = withoutPaths(err.Error()), nil
	}
	return r, nil
}

// A cell may take its time limit multiplied by overrun. startUp is the time in seconds that Python and the libraries of
// a peer take to start; the clock of the peer starts after it.
const (
	overrun = 1.1
	startUp = 60
)

// missing returns the reason why a cell cannot be run here; "" if it can.
func (c suiteCell) missing() string {
	if !c.method.ours() {
		if _, err := os.Stat(c.method.interpreter()); err != nil {
			return fmt.Sprintf("there is no %s: make suite-peers", c.method.interpreter())
		}
	}
	return c.set.missing()
}

// otherWork describes the load of the machine by the text of /proc/loadavg; "" if it is idle.
func otherWork(loadavg string) string {
	var load float64
	// The previous cell also counts in the load.
	if _, err := fmt.Sscan(loadavg, &load); err != nil || load < suiteThreads+1 {
		return ""
	}
	return fmt.Sprintf("other work, with a load of %.0f", load)
}

// runCommand runs the record's command, records its cost, and returns its standard output. The error has the last line
// of standard error.
func (r *suiteRecord) runCommand(ctx context.Context, limit time.Duration) ([]byte, error) {
	kills := lackedMemory(vmstat())
	start := time.Now()
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	words := strings.Fields(r.Command)
	for i, w := range words {
		words[i] = os.ExpandEnv(w)
	}
	cmd := exec.CommandContext(inTime, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", suiteThreads))
	defer endsWithUs(cmd)()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(os.Stderr, &stderr)
	err := cmd.Run()
	r.Took = float64(time.Since(start).Round(time.Millisecond)) / 1e9
	if cmd.ProcessState != nil {
		r.CPU, r.Memory = processUsage(cmd.ProcessState)
	}
	if inTime.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("no result within %s", limit)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && endedBySignal(exit.ProcessState) {
		if lackedMemory(vmstat()) > kills {
			return nil, fmt.Errorf("it took %.0f GB, and the system ended it for lack of memory", r.Memory/1e9)
		}
		return nil, fmt.Errorf("%w: something ended it: %w", errMissing, err)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return stdout.Bytes(), nil
}

// vmstat returns the text of /proc/vmstat; "" if the file does not exist.
func vmstat() string {
	text, _ := os.ReadFile("/proc/vmstat")
	return string(text)
}

// lackedMemory returns the number of processes that the system has ended for lack of memory, by /proc/vmstat.
func lackedMemory(vmstat string) (n int) {
	_, after, _ := strings.Cut(vmstat, "\noom_kill ")
	fmt.Sscan(after, &n) // n stays 0 if the text does not have it.
	return n
}

// endedBySignal reports whether a signal from outside has ended a process, and not a crash.
func endedBySignal(p *os.ProcessState) bool {
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && slices.Contains(
		[]syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL, syscall.SIGTERM}, status.Signal())
}

// withoutPaths removes the names of this machine's folders from a message.
func withoutPaths(text string) string {
	if folder := os.Getenv("GPDRF_DATA"); folder != "" {
		text = strings.ReplaceAll(text, folder, "$GPDRF_DATA")
	}
	if folder, err := os.Getwd(); err == nil {
		text = strings.ReplaceAll(text, folder, ".")
	}
	return text
}

// scoreKeys are the scores of result.json that a record keeps.
var scoreKeys = []string{"rmse", "nlpd", "crps", "coverage90", "error", "nll", "ece", "auc"}

// readOurs reads the output of train.
func (r *suiteRecord) readOurs(text []byte, kind string) error {
	var result struct {
		Steps   int
		NTrain  int                `json:"n_train"`
		NTest   int                `json:"n_test"`
		Failure string             `json:"evaluation_failed"`
		Cut     struct{ Rows int } `json:"test_cut"`
		Test    map[string]any     `json:"test"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return fmt.Errorf("the result cannot be read: %w", err)
	}
	r.Steps, r.NTrain, r.NTest = result.Steps, result.NTrain, result.NTest
	if result.Failure != "" {
		return errors.New(result.Failure)
	}
	if n := result.Cut.Rows; n > 0 && n < r.NTest {
		return fmt.Errorf("there was time to score %d of %d test rows", n, r.NTest)
	}
	r.Scores = map[string]float64{}
	for _, key := range scoreKeys {
		if v, ok := value(result.Test, key); ok {
			r.Scores[key] = v
		}
	}
	return complete(r.Scores, kind)
}

// chosenBy names the models in the run folder of a search, with their weights.
func chosenBy(run string) (string, error) {
	state, err := best.Open(run)
	if err != nil {
		return "", err
	}
	all := slices.Clone(state.Candidates)
	slices.SortStableFunc(all, func(a, b best.Candidate) int { return cmp.Compare(b.Weight, a.Weight) })
	var chosen []string
	for _, c := range all {
		if c.Weight > 0 {
			chosen = append(chosen, fmt.Sprintf("%s: %.2f", c.Name, c.Weight))
		}
	}
	return strings.Join(chosen, "; "), nil
}

// complete refuses scores that lack the ranking score.
func complete(scores map[string]float64, kind string) error {
	if _, ok := scores[rankedBy(kind)]; !ok {
		return fmt.Errorf("the test has no %s", rankedBy(kind))
	}
	return nil
}

// rankedBy returns the score that ranks methods by their predictive distributions.
func rankedBy(kind string) string {
	if kind == numbers {
		return "nlpd"
	}
	return "nll"
}

// readPeer reads the output of bench/peers/suite.py, and scores its predictions.
func (r *suiteRecord) readPeer(text []byte, c suiteCell, folder string) error {
	var said struct {
		Missing, Version    string
		Seconds, Predicting float64
		Steps               int
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &said); err != nil {
		return fmt.Errorf("%s says %q: %w", suiteScript, text, err)
	}
	if said.Missing != "" {
		return fmt.Errorf("%w: Python's package %s is not installed: make suite-peers", errMissing, said.Missing)
	}
	r.Version, r.Took, r.Steps = said.Version, said.Seconds+said.Predicting, said.Steps
	p, err := readPredictions(folder, c.out(), c.set.predictionKind())
	if err != nil {
		return err
	}
	r.NTrain, r.NTest = p.trained, len(p.targets)
	if r.Scores, err = p.scores(); err != nil {
		return err
	}
	return complete(r.Scores, c.set.kind)
}

// missed groups the cells that were left out by the reason.
type missed map[string]int

func (m missed) String() string {
	var lines []string
	for why, n := range m {
		lines = append(lines, fmt.Sprintf("%s (%d)", why, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
