package serve

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Config holds the settings of a server.
type Config struct {
	// OpenDevice opens a device for a model, by the name of the one it was trained on and its precision. Each model has
	// a device of its own.
	OpenDevice func(trainedDevice, precision string) (device.Device, error)
	Samples    int // number of samples of each prediction; 0 is as in the run's evaluation

	MaxBatch int           // largest number of rows predicted at once
	MaxDelay time.Duration // how long a request waits for others beyond those that came meanwhile
	MaxRows  int           // largest number of rows in a request
	MaxBody  int64         // largest size of a request, in bytes
	Timeout  time.Duration // longest time of a request
	MaxConns int           // largest number of open connections, for each protocol
	Linger   time.Duration // at the end, how long idle connections may send one more request
	Memory   int64         // bytes for all loaded models; 0 is no bound

	Version string // version of the program, for the metadata

	Tokens *Tokens     // if nil, anybody may ask
	Origin string      // origin of the pages that may read answers in a browser; "" for none
	TLS    *tls.Config // nil without TLS
	Log    *slog.Logger
}

// AnyOrigin as Config.Origin lets the pages of all origins read answers.
const AnyOrigin = "*"

// Limits without an option. A queue holds more requests than clients that wait for their answers; and a client that is
// slower than this has left.
const (
	queueLength   = 1024
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 32 << 10
	bodiesAtOnce  = 16      // bodies of MaxBody that are in memory at a time, or many small ones
	maxAnswer     = 1 << 24 // largest count of numbers in an answer
	maxNumbers    = 1 << 27 // largest count of numbers in memory for predictions: loaded.perRow
)

// Defaults returns the limits of a server without options.
func Defaults() Config {
	return Config{MaxBatch: 256, MaxRows: 10_000, MaxBody: 16 << 20,
		Timeout: 30 * time.Second, MaxConns: 1024, Linger: time.Second}
}
