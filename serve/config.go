package serve

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Config holds the settings of a server.
type Config struct {
	// OpenDevice opens a device for a model, by the name of the one it was trained on and its
	// precision. Each model has a device of its own.
	OpenDevice func(trainedOn, precision string) (device.Device, error)
	Samples    int // S of each prediction; 0: as many as the run's evaluation took

	MaxBatch int           // rows that are predicted at once
	MaxDelay time.Duration // how long a request waits for others beyond those that came meanwhile
	MaxRows  int           // of a request
	MaxBody  int64         // bytes of a request
	Timeout  time.Duration // of a request
	MaxConns int           // open connections, of each protocol
	Linger   time.Duration // at the end, how long idle connections may send one more request
	Memory   int64         // bytes of all loaded models; 0: no bound

	Version string // of the program, for the metadata

	Tokens *Tokens     // nil: anybody may ask
	Origin string      // of the pages that may read answers in a browser; "": of none
	TLS    *tls.Config // nil: none
	Log    *slog.Logger
}

// AnyOrigin as Config.Origin lets the pages of all origins read answers.
const AnyOrigin = "*"

// Limits without an option. A queue holds more requests than clients that wait for their answers; and a
// client that is slower than this has left.
const (
	queueLength   = 1024
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 32 << 10
	bodiesAtOnce  = 16      // bodies of MaxBody that are in memory at a time, or many small ones
	maxAnswer     = 1 << 24 // numbers of an answer
	maxNumbers    = 1 << 27 // of all predictions in memory: see loaded.numbers
)

// Defaults returns the limits of a server without options.
func Defaults() Config {
	return Config{MaxBatch: 256, MaxRows: 10_000, MaxBody: 16 << 20,
		Timeout: 30 * time.Second, MaxConns: 1024, Linger: time.Second}
}
