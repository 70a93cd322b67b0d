package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
)

// Traces sends a span of each request to a collector of OpenTelemetry, and in it one of its time in
// the queue and one of the forward pass. A request that brings a traceparent continues that trace.
// A nil Traces sends nothing.
type Traces struct{ provider *trace.TracerProvider }

// The variables that ask for traces, the more special one first.
const (
	tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	endpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// TracesByEnvironment sends traces by http/protobuf, as OpenTelemetry's variables say: to
// OTEL_EXPORTER_OTLP_ENDPOINT, with OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and the others. It is
// nil where no endpoint is set. What the collector does not take is a warning in log, and costs
// requests nothing.
func TracesByEnvironment(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	name := tracesEndpoint
	if os.Getenv(name) == "" {
		name = endpoint
	}
	address := os.Getenv(name)
	if address == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: %q is no address of a collector: write http://localhost:4318", name, address)
	}
	by := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if by != "" && by != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent by http/protobuf, not by %q: "+
			"most collectors take it at port 4318", by)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "gpdrf-gpu"),
			attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", "error", err.Error()) }))
	return &Traces{trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))}, nil
}

// Close sends what has not been sent yet, for some seconds at most.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}

// http makes a span of each request, except those of probes and of Prometheus.
func (t *Traces) http(h http.Handler) http.Handler {
	if t == nil {
		return h
	}
	return otelhttp.NewHandler(h, "", otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.TraceContext{}), otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != "/metrics" && !strings.HasPrefix(r.URL.Path, "/v2/health/")
		}))
}

// grpc makes a span of each call.
func (t *Traces) grpc() []grpc.ServerOption {
	if t == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(t.provider),
		otelgrpc.WithPropagators(propagation.TraceContext{})))}
}

// span is a part of a request, from began until now, where the request has a trace.
func span(ctx context.Context, name string, began time.Time, attributes ...attribute.KeyValue) {
	if parent := api.SpanFromContext(ctx); parent.IsRecording() {
		_, s := parent.TracerProvider().Tracer("gpdrf-gpu").Start(ctx, name, api.WithTimestamp(began),
			api.WithAttributes(attributes...))
		s.End()
	}
}

// traced puts the ID of a request into its span.
func traced(ctx context.Context, id string) {
	api.SpanFromContext(ctx).SetAttributes(attribute.String("request.id", id))
}
