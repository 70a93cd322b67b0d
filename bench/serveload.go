package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// load is a measurement of serve under clients that send requests without a pause. It is compared with predict of a
// file and with the bare forward pass on the same machine.
type load struct {
	program string
	folder  string
	clients int
	seconds time.Duration
	rows    []string // lines of the table, without its header
	header  string
}

// fileRows is the number of rows with which predict is timed.
const fileRows = 20_000

// serveLoad prints the figures of bench/results/usage-notes.md.
func serveLoad(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	program := flags.String("program", "gpdrf-gpu", "the program")
	seconds := flags.Int("seconds", 60, "seconds of each load")
	clients := flags.Int("clients", 64, "clients at a time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	l := &load{program: *program, folder: folder, clients: *clients, seconds: time.Duration(*seconds) * time.Second}
	if err := l.prepare(); err != nil {
		return err
	}
	if err := l.timeForward(); err != nil {
		return err
	}
	for _, rows := range []int{1, 16} {
		if err := l.measure(rows); err != nil {
			return err
		}
	}
	return l.measureCrowd()
}

// prepare trains a model, and writes a file of many rows.
func (l *load) prepare() error {
	text, err := os.ReadFile("examples/power-new.csv")
	if err != nil {
		return err
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	l.header, l.rows = all[0], all[1:]
	many := []byte(l.header + "\n")
	for i := range fileRows {
		many = append(append(many, l.rows[i%len(l.rows)]...), '\n')
	}
	if err := os.WriteFile(filepath.Join(l.folder, "rows.csv"), many, 0o600); err != nil {
		return err
	}
	_, err = l.run("train", "--quiet", "--device", "cpu:f32", "--data", "examples/power.csv", "--target",
		"energy_output", "--steps", "200", "--out", filepath.Join(l.folder, "power"))
	return err
}

// run runs the program to its end.
func (l *load) run(arguments ...string) (*os.ProcessState, error) {
	c := exec.Command(l.program, arguments...)
	text, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", l.program, arguments[0], err, text)
	}
	return c.ProcessState, nil
}

// busy returns the processor time of an ended process, in seconds.
func busy(process *os.ProcessState) float64 {
	return (process.UserTime() + process.SystemTime()).Seconds()
}

// timeForward times the forward pass alone.
func (l *load) timeForward() error {
	trained, err := fitted.ReadModel(filepath.Join(l.folder, "power", rundir.ModelFile))
	if err != nil {
		return err
	}
	dev, err := device.Open("cpu:f32")
	if err != nil {
		return err
	}
	defer dev.Close()
	p, err := trained.NewPredictor(dev, 256, trained.EvalSamples)
	if err != nil {
		return err
	}
	for _, n := range []int{1, 64, 256} {
		x := make([]float64, n*trained.Config.Width())
		var took []time.Duration
		for range 100 {
			began := time.Now()
			if _, err := p.Predict(context.Background(), n, x); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		fmt.Printf("forward pass of %d rows: p50 %v, p99 %v\n", n, quantileOf(took, 0.5), quantileOf(took, 0.99))
	}
	return nil
}

func quantileOf(took []time.Duration, q float64) time.Duration {
	slices.Sort(took)
	return took[int(q*float64(len(took)-1))].Round(10 * time.Microsecond)
}

// pace is the speed of predictions.
type pace struct {
	second    float64 // rows a second
	processor float64 // rows a second of processor time
}

// predict times predict of the file.
func (l *load) predict() (pace, error) {
	began := time.Now()
	process, err := l.run("predict", filepath.Join(l.folder, "power"), "--quiet", "--data",
		filepath.Join(l.folder, "rows.csv"), "--out", filepath.Join(l.folder, "out.csv"))
	if err != nil {
		return pace{}, err
	}
	return pace{fileRows / time.Since(began).Seconds(), fileRows / busy(process)}, nil
}

// measure loads a server with requests of a number of rows, between two runs of predict. Clients take processor time
// from the server, so that it also compares rows a second of the server's own processor time.
func (l *load) measure(rows int) error {
	predictBefore, err := l.predict()
	if err != nil {
		return err
	}
	s, err := l.start()
	if err != nil {
		return err
	}
	durations, failures, memory := l.sendRequests(s, rows)
	if err := s.stop(); err != nil {
		return err
	}
	predictAfter, err := l.predict()
	if err != nil {
		return err
	}
	answered := float64(len(durations) * rows)
	own := pace{answered / l.seconds.Seconds(), answered / busy(s.command.ProcessState)}
	predict := pace{(predictBefore.second + predictAfter.second) / 2,
		(predictBefore.processor + predictAfter.processor) / 2}
	fmt.Println(l.figures(rows, durations, failures, memory))
	fmt.Printf("\ta second: %.0f rows, predict %.0f, ratio %.2f\n", own.second, predict.second,
		own.second/predict.second)
	fmt.Printf("\ta second of a processor: %.0f rows, predict %.0f, ratio %.2f\n", own.processor,
		predict.processor, own.processor/predict.processor)
	if failures > 0 {
		return errors.New("there were errors")
	}
	return nil
}

// figures formats the measurements of the clients, and the memory of the server.
func (l *load) figures(rows int, took []time.Duration, failures int, memory []float64) string {
	return fmt.Sprintf("%d clients, %d rows a request, %v: %d requests, %d errors, p50 %v, p99 %v, "+
		"memory %.1f MB, at the end %.1f MB", l.clients, rows, l.seconds, len(took), failures,
		quantileOf(took, 0.5), quantileOf(took, 0.99), meanOf(memory[:len(memory)/3]).value,
		meanOf(memory[2*len(memory)/3:]).value)
}

// server is a server in a separate process.
type server struct {
	command *exec.Cmd
	address string
	url     string
	client  *http.Client
	token   string // "" if the server takes requests without a token
}

func (l *load) start(arguments ...string) (*server, error) {
	c := exec.Command(l.program, append([]string{"serve", filepath.Join(l.folder, "power"), "--listen",
		"127.0.0.1:0", "--grpc-listen", "none"}, arguments...)...)
	log, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	address := regexp.MustCompile(`msg=serving http=(\S+)`)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if match := address.FindStringSubmatch(lines.Text()); match != nil {
			go io.Copy(io.Discard, log)
			return &server{c, match[1], "http://" + match[1] + "/v1/models/power:predict",
				&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.clients}}, ""}, nil
		}
	}
	return nil, errors.Join(errors.New("the server did not start"), c.Wait())
}

// post sends a request for predictions. Any answer without predictions is an error.
func (s *server) post(body []byte) error {
	q, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		q.Header.Set("Authorization", "Bearer "+s.token)
	}
	a, err := s.client.Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", a.StatusCode, text)
	}
	return err
}

func (s *server) stop() error {
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.command.Wait()
}

// megabytes returns the memory of the server.
func (s *server) megabytes() (mb float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	var all, resident float64
	fmt.Sscan(string(text), &all, &resident)
	return resident * float64(os.Getpagesize()) / 1e6
}

// body returns a request for a number of rows.
func (l *load) body(rows int) []byte {
	var cells []string
	for i := range rows {
		cells = append(cells, "["+l.rows[i%len(l.rows)]+"]")
	}
	return []byte(`{"instances":[` + strings.Join(cells, ",") + `]}`)
}

// sendRequests loads the server for l.seconds. memory has the memory in the last three quarters of this time.
func (l *load) sendRequests(s *server, rows int) (took []time.Duration, failures int, memory []float64) {
	body := l.body(rows)
	end := time.Now().Add(l.seconds)
	var asking sync.WaitGroup
	var mu sync.Mutex
	for range l.clients {
		asking.Go(func() {
			var own []time.Duration
			failed := 0
			for time.Now().Before(end) {
				began := time.Now()
				if err := s.post(body); err != nil {
					failed++
					fmt.Println("an error:", err)
				} else {
					own = append(own, time.Since(began))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took, failures = append(took, own...), failures+failed
		})
	}
	time.Sleep(l.seconds / 4)
	for time.Now().Before(end) {
		memory = append(memory, s.megabytes())
		time.Sleep(l.seconds / 60)
	}
	asking.Wait()
	s.client.CloseIdleConnections()
	return took, failures, memory
}
