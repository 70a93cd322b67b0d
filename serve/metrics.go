package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics holds the figures of /metrics, in a register of their own.
type metrics struct {
	handler        http.Handler
	requests       *prometheus.CounterVec // requests by protocol, model and status
	requestSeconds *prometheus.HistogramVec
	rows           *prometheus.CounterVec
	queueSeconds   prometheus.Histogram
	batchRows      prometheus.Histogram
	forwardSeconds prometheus.Histogram
	loads          *prometheus.CounterVec
	modelBytes     *prometheus.GaugeVec
	connections    *prometheus.GaugeVec
}

func newMetrics() *metrics {
	seconds := prometheus.ExponentialBucketsRange(0.0005, 30, 16)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return register.NewCounterVec(prometheus.CounterOpts{Name: "gpdrf_" + name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return register.NewHistogram(prometheus.HistogramOpts{Name: "gpdrf_" + name, Help: help, Buckets: buckets})
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return register.NewGaugeVec(prometheus.GaugeOpts{Name: "gpdrf_" + name, Help: help}, labels)
	}
	return &metrics{
		handler:  promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		requests: counter("requests_total", "Requests for predictions.", "protocol", "model", "status"),
		requestSeconds: register.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gpdrf_request_seconds", Help: "From the whole request to its answer.", Buckets: seconds},
			[]string{"protocol", "model"}),
		rows:           counter("rows_total", "Rows predicted.", "model"),
		queueSeconds:   histogram("queue_seconds", "How long a request waited for its batch.", seconds),
		batchRows:      histogram("batch_rows", "Rows of a batch.", prometheus.ExponentialBuckets(1, 2, 12)),
		forwardSeconds: histogram("forward_seconds", "The forward pass of a batch.", seconds),
		loads:          counter("model_loads_total", "Models loaded, reloaded, evicted and failed.", "model", "what"),
		modelBytes:     gauge("model_bytes", "Memory of a loaded model; 0: not loaded.", "model"),
		connections:    gauge("connections", "Open connections.", "protocol"),
	}
}
