package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The tables of the tests: numbers, counts with offsets, words with missing cells, booleans without, and sequences.
const (
	counts    = "counts"
	numbers   = "numbers"
	words     = "words"
	booleans  = "booleans"
	sequences = "sequences"
	dates     = "dates"
)

// tableText returns a table of n rows of a kind.
func tableText(kind string, n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	switch kind {
	case numbers:
		b.WriteString("a,b,y,z\n")
		for range n {
			x, y := rng.NormFloat64(), 30+5*rng.NormFloat64()
			fmt.Fprintf(&b, "%g,%g,%g,%g\n", x, y, 200+10*math.Sin(2*x)+rng.NormFloat64(), y-x)
		}
	case counts:
		b.WriteString("a,log_hours,y\n")
		for range n {
			fmt.Fprintf(&b, "%g,%g,%d\n", rng.NormFloat64(), rng.Float64(), rng.IntN(4)*rng.IntN(5))
		}
	case words:
		b.WriteString("a,colour,b,class\n")
		for i := range n {
			a := fmt.Sprint(rng.NormFloat64())
			colour := []string{"red", "blue", "green", ""}[rng.IntN(4)]
			if i%7 == 3 {
				a = ""
			}
			fmt.Fprintf(&b, "%s,%s,%d,%s\n", a, colour, rng.IntN(50), []string{"x", "y", "z"}[rng.IntN(3)])
		}
	case booleans:
		b.WriteString("a,flag,kind,y\n")
		for i := range n {
			fmt.Fprintf(&b, "%g,%t,%s,%g\n", rng.NormFloat64(), i%2 == 0, []string{"u", "v"}[rng.IntN(2)],
				rng.NormFloat64())
		}
	case dates:
		b.WriteString("a,when,y\n")
		for i := range n {
			fmt.Fprintf(&b, "%g,2024-01-%02d %02d:30,%g\n", rng.NormFloat64(), i%28+1, i%24, rng.NormFloat64())
		}
	case sequences:
		for i := range n {
			fmt.Fprintf(&b, ">g%d|%s\n", i, []string{"no", "yes"}[i%2])
			for range 20 + rng.IntN(20) {
				b.WriteByte("ACGT"[rng.IntN(4)])
			}
			b.WriteString([]string{"\n", "GATTACA\n"}[i%2])
		}
	}
	return b.String()
}

// rowsOfKind reads a table as a user would, for training or like a training set.
func rowsOfKind(t testing.TB, kind, text string, like *data.Schema) *data.Dataset {
	t.Helper()
	name := filepath.Join(t.TempDir(), kind+".csv")
	must.OK(t, os.WriteFile(name, []byte(text), 0o600))
	opt := data.ReadOptions{Schema: like, TargetOptional: like != nil}
	if like == nil {
		opt.TableOptions.Missing = data.MissingImpute
		switch kind {
		case numbers:
			opt.Target = "y,z"
		case counts:
			opt.Task = string(data.Regression)
			opt.TableOptions.Roles.Offset = "log_hours"
		}
		if kind == sequences || kind == booleans || kind == dates {
			opt.TableOptions = data.TableOptions{}
		}
	}
	d, _, err := data.ReadFile(name, opt)
	must.OK(t, err)
	return d
}

// writeModel trains a small model of a kind, writes it to a file, and returns it.
func writeModel(t testing.TB, path, kind string, seed uint64) *fitted.Model {
	t.Helper()
	set := rowsOfKind(t, kind, tableText(kind, 60, seed), nil)
	settingOf := map[string]string{"inducing": "9", "latents": "3", "features": "7", "steps": "10",
		"eval-samples": "13", "device": "cpu:f32", "seed": fmt.Sprint(seed)}
	if kind == sequences {
		settingOf["kernel"] = "spectrum:2"
	}
	if kind == counts {
		settingOf["likelihood"] = "negative-binomial"
	}
	var settings []options.Setting
	for key, value := range settingOf {
		settings = append(settings, options.Setting{Key: key, Text: value, From: "--" + key})
	}
	c := must.Get(options.Resolve(nil, settings))(t)
	dev := open(t)
	out := must.Get((&train.Job{Config: c, Device: dev, Train: set}).Run(t.Context()))(t)
	var file bytes.Buffer
	must.OK(t, out.Trained.WriteModel(&file))
	replace(t, path, file.Bytes())
	return out.Trained
}

// replace writes a file as a run does: whole or not at all.
func replace(t testing.TB, path string, text []byte) {
	t.Helper()
	must.OK(t, os.WriteFile(path+".new", text, 0o600))
	must.OK(t, os.Rename(path+".new", path))
}

func open(t testing.TB) device.Device {
	dev := must.Get(device.Open("cpu:f32"))(t)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// testConfig returns the settings of the tests' servers.
func testConfig() Config {
	c := Defaults()
	c.MaxBatch = 32
	c.Linger = 0
	c.Version = "test"
	c.Log = slog.New(slog.DiscardHandler)
	c.OpenDevice = func(string, string) (device.Device, error) { return device.Open("cpu:f32") }
	return c
}

// running is a server of a test.
type running struct {
	*Server
	url  string
	rpc  string
	stop func() error // ends it, and returns the error of Serve
}

// start serves models until the test ends.
func start(t testing.TB, c Config, models ...Source) *running {
	t.Helper()
	s := New(c, models)
	must.OK(t, s.Start())
	listen := func() net.Listener {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		return l
	}
	web, rpc := listen(), listen()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, web, rpc) }()
	r := &running{Server: s, url: "http://" + web.Addr().String(), rpc: rpc.Addr().String()}
	stopped := false
	r.stop = func() (err error) {
		if cancel(); !stopped {
			stopped = true
			err = <-ended
		}
		return err
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// rpcClient calls the methods of a server.
type rpcClient struct{ *grpc.ClientConn }

func (r *running) dial(t testing.TB) rpcClient {
	t.Helper()
	conn := must.Get(grpc.NewClient(r.rpc, grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
	t.Cleanup(func() { conn.Close() })
	return rpcClient{conn}
}

// invoke calls a method, whose answer is an A.
func invoke[A any](ctx context.Context, c rpcClient, method string, q any, options ...grpc.CallOption) (*A, error) {
	answer := new(A)
	return answer, c.Invoke(ctx, "/"+inference.Service+"/"+method, q, answer, options...)
}

func (c rpcClient) ModelInfer(ctx context.Context, q *inference.ModelInferRequest, options ...grpc.CallOption) (
	*inference.ModelInferResponse, error) {
	return invoke[inference.ModelInferResponse](ctx, c, "ModelInfer", q, options...)
}

func (c rpcClient) ServerLive(ctx context.Context, q *inference.ServerLiveRequest) (
	*inference.ServerLiveResponse, error) {
	return invoke[inference.ServerLiveResponse](ctx, c, "ServerLive", q)
}

func (c rpcClient) ModelMetadata(ctx context.Context, q *inference.ModelMetadataRequest) (
	*inference.ModelMetadataResponse, error) {
	return invoke[inference.ModelMetadataResponse](ctx, c, "ModelMetadata", q)
}

// post sends a body, and returns the answer with its status.
func (r *running) post(t testing.TB, path string, body []byte, headers ...string) (int, http.Header, []byte) {
	t.Helper()
	status, header, answer, err := r.try(path, body, headers...)
	must.OK(t, err)
	return status, header, answer
}

func (r *running) try(path string, body []byte, headers ...string) (int, http.Header, []byte, error) {
	a, answer, err := r.send(http.MethodPost, path, body, headers...)
	if err != nil {
		return 0, nil, nil, err
	}
	return a.StatusCode, a.Header, answer, nil
}

// send sends a request of any method, and returns the answer with its body.
func (r *running) send(method, path string, body []byte, headers ...string) (*http.Response, []byte, error) {
	q, err := http.NewRequest(method, r.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	return a, answer, err
}

// get asks for a path.
func (r *running) get(t testing.TB, path string) (int, []byte) {
	t.Helper()
	a, answer, err := r.send(http.MethodGet, path, nil)
	must.OK(t, err)
	return a.StatusCode, answer
}

// lines returns the output of predict for the rows of a file, each a JSON object.
func lines(t testing.TB, trained *fitted.Model, rows *data.Dataset) []map[string]any {
	t.Helper()
	p, distances, err := trained.PredictSet(t.Context(), open(t), rows, trained.EvalSamples,
		fitted.PredictOptions{Distances: true})
	must.OK(t, err)
	var text bytes.Buffer
	must.OK(t, predict.NewTable(trained, rows, p, distances, 0, 0).Write(&text, predict.JSONL))
	var all []map[string]any
	for line := range strings.Lines(text.String()) {
		var object map[string]any
		must.OK(t, json.Unmarshal([]byte(line), &object))
		for _, beside := range append(slices.Clone(trained.Schema.Outputs()), "name", "target",
			"y_target", "z_target") {
			delete(object, beside) // the other columns of the file
		}
		all = append(all, object)
	}
	return all
}
