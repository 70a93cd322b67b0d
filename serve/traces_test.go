package serve

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// collected are the spans that a collector of OpenTelemetry got, and the names of their services.
type collected struct {
	sync.Mutex
	spans    []*trace.Span
	services []string
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Lock()
	defer c.Unlock()
	var q collector.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &q) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, from := range q.ResourceSpans {
		for _, a := range from.Resource.Attributes {
			if a.Key == "service.name" {
				c.services = append(c.services, a.Value.GetStringValue())
			}
		}
		for _, scope := range from.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// A request by HTTP and one by gRPC each have a span in the trace that they bring, and in it those
// of the queue and of the forward pass. Probes have none.
func TestTraces(t *testing.T) {
	got := &collected{}
	server := httptest.NewServer(got)
	defer server.Close()
	t.Setenv(endpoint, server.URL)
	t.Setenv("OTEL_SERVICE_NAME", "prices")
	c := testConfig()
	var err error
	if c.Traces, err = TracesByEnvironment(t.Context(), "test", c.Log); err != nil {
		t.Fatal(err)
	}
	r := serveKind(t, numbers, c)
	parent := func(digit string) (id, header string) {
		id = strings.Repeat(digit, 32)
		return id, "00-" + id + "-" + strings.Repeat(digit, 16) + "-01"
	}
	web, header := parent("a")
	if status, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[1,2]]}`), "traceparent", header,
		requestHeader, "mine"); status != http.StatusOK {
		t.Fatalf("%d: %s", status, text)
	}
	r.get(t, "/v2/health/live")
	r.get(t, "/metrics")
	rpc, header := parent("b")
	_, err = r.dial(t).ModelInfer(metadata.AppendToOutgoingContext(t.Context(), "traceparent", header),
		&inference.ModelInferRequest{ModelName: "m", Inputs: []*inference.ModelInferRequest_InferInputTensor{{
			Name: "inputs", Datatype: "FP64", Shape: []int64{1, 2},
			Contents: &inference.InferTensorContents{Fp64Contents: []float64{1, 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	c.Traces.Close()
	if len(got.services) == 0 || slices.ContainsFunc(got.services, func(s string) bool { return s != "prices" }) {
		t.Errorf("services %q", got.services)
	}
	for _, id := range []string{web, rpc} {
		var root []byte
		var names []string
		for _, s := range got.spans {
			if hex.EncodeToString(s.TraceId) != id {
				continue
			}
			if names = append(names, s.Name); hex.EncodeToString(s.ParentSpanId) == id[:16] {
				root = s.SpanId
			}
			if s.EndTimeUnixNano < s.StartTimeUnixNano {
				t.Errorf("%s ends before it begins", s.Name)
			}
		}
		for _, s := range got.spans {
			if (s.Name == "queue" || s.Name == "forward") && hex.EncodeToString(s.TraceId) == id &&
				!bytes.Equal(s.ParentSpanId, root) {
				t.Errorf("%s is not in the span of its request", s.Name)
			}
		}
		slices.Sort(names)
		want := map[string][]string{web: {"POST /v1/models/{call}", "forward", "queue"},
			rpc: {"forward", "inference.GRPCInferenceService/ModelInfer", "queue"}}[id]
		if !slices.Equal(names, want) {
			t.Errorf("spans %q, want %q", names, want)
		}
	}
	if len(got.spans) != 6 {
		t.Errorf("%d spans", len(got.spans))
	}
}

// A collector that is not there is a warning, and costs requests nothing.
func TestTracesLost(t *testing.T) {
	var said bytes.Buffer
	t.Setenv(tracesEndpoint, "http://127.0.0.1:1/v1/traces")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	c := testConfig()
	var err error
	if c.Traces, err = TracesByEnvironment(t.Context(), "test", slog.New(slog.NewTextHandler(&said, nil))); err != nil {
		t.Fatal(err)
	}
	r := serveKind(t, numbers, c)
	if status, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[1,2]]}`)); status != http.StatusOK {
		t.Errorf("%d: %s", status, text)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if c.Traces.Close(); !strings.Contains(said.String(), "level=WARN msg=traces") {
		t.Errorf("it said %q", said.String())
	}
}

func TestTracesByEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{endpoint, "", ""},
		{endpoint, "localhost:4318", `OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" is no address of a collector`},
		{tracesEndpoint, "ftp://host", `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://host" is no address`},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"},
		{"OTEL_SDK_DISABLED", "true", ""},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(endpoint, "http://localhost:4318")
			t.Setenv(c.name, c.value)
			traces, err := TracesByEnvironment(context.Background(), "test", slog.New(slog.DiscardHandler))
			if c.want == "" && (traces != nil || err != nil) {
				t.Errorf("%v, %v", traces, err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v", err)
			}
		})
	}
}
