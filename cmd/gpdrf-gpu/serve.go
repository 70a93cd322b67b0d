package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/serve"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) serveVerb() verb {
	return verb{
		name: "serve", args: "RUN...", line: "answer requests for predictions over HTTP and gRPC", run: p.serve,
		about: "RUN is a run folder or a model.safetensors, served under the name of its folder, or under NAME with " +
			"NAME=RUN. Requests follow the Open Inference Protocol, version 2, of KServe and Triton, over HTTP and " +
			"gRPC. Rows as plain JSON go to /v1/models/NAME:predict. docs/serve.md has examples, and /openapi.json " +
			"every path. Predictions have the same bits as those of predict. A model whose files change is loaded " +
			"again, without losing requests. The default addresses are local; for others, give --token-file, and " +
			"--tls-cert with --tls-key. The log goes to standard error, a line for each request. Ctrl-C finishes the " +
			"requests in progress and ends.",
		flags: serveFlags(),
		examples: []example{
			{"gpdrf-gpu serve runs/powerplant-gpdrf-1", "one model, for this machine"},
			{"gpdrf-gpu serve power=runs/powerplant-gpdrf-1 genes=runs/dna --memory 2GiB",
				"two models under other names, in bounded memory"},
			{"gpdrf-gpu serve runs/dna --listen :8443 --grpc-listen none --token-file tokens " +
				"--tls-cert cert.pem --tls-key key.pem", "for other machines"},
		},
	}
}

// The default addresses.
const (
	httpAddress = "127.0.0.1:8080"
	grpcAddress = "127.0.0.1:8081"
)

func serveFlags() []flagSpec {
	d := serve.Defaults()
	return []flagSpec{
		{group: "Addresses", name: "listen", arg: "HOST:PORT|unix:FILE",
			help: "address of the HTTP server; unix:FILE is a socket for this user only", def: httpAddress},
		{group: "Addresses", name: "grpc-listen", arg: "HOST:PORT|unix:FILE|none",
			help: "address of the gRPC server; none for no gRPC", def: grpcAddress},
		{group: "Addresses", name: "until-eof", arg: switchArg,
			help: "end when standard input does, so that the server ends with the program that began it"},
		{group: "Access", name: "token-file", arg: "FILE",
			help: "file with a token on each line; clients send Authorization: Bearer TOKEN"},
		{group: "Access", name: "tls-cert", arg: "FILE", help: "file of the certificate, in PEM"},
		{group: "Access", name: "tls-key", arg: "FILE", help: "file of its private key, in PEM"},
		{group: "Access", name: "insecure", arg: switchArg, help: "let other machines in without token and TLS"},
		{group: "Access", name: "cors", arg: "ORIGIN",
			help: "let pages of this origin, such as https://example.org, read answers in a browser; * lets all"},
		{group: "Batches", name: "max-delay", arg: "TIME",
			help: "how long a request waits for others to share its batch", def: d.MaxDelay.String()},
		{group: "Batches", name: "max-batch", arg: "N", help: "largest number of rows predicted at once",
			def: strconv.Itoa(d.MaxBatch)},
		{group: "Limits", name: "max-rows", arg: "N", help: "largest number of rows in a request",
			def: strconv.Itoa(d.MaxRows)},
		{group: "Limits", name: "max-body", arg: "SIZE", help: "largest size of a request",
			def: strings.ReplaceAll(humanize.IBytes(uint64(d.MaxBody)), " ", "")},
		{group: "Limits", name: "timeout", arg: "TIME", help: "longest time of a request", def: d.Timeout.String()},
		{group: "Limits", name: "max-connections", arg: "N",
			help: "largest number of open connections, of HTTP and of gRPC each", def: strconv.Itoa(d.MaxConns)},
		{group: "Limits", name: "memory", arg: "SIZE",
			help: "memory for all loaded models; those beyond it are loaded when they are asked for"},
		samplesFlag, deviceFlag, precisionFlag,
	}
}

// serve answers requests for predictions until Ctrl-C.
func (p *program) serve(c *call) error {
	sources, err := modelSources(c.args)
	if err != nil {
		return err
	}
	config, err := p.serveConfig(c)
	if err != nil {
		return err
	}
	web, rpc, err := c.listen(&config)
	if err != nil {
		return err
	}
	server := serve.New(config, sources)
	guard := p.newExitGuard(p.ctx, func() error { return errors.Join(web.Close(), closeIf(rpc)) })
	err = server.Start()
	if ended := guard.disarm(); ended != nil {
		return ended
	}
	if err == nil {
		err = p.endAtEOF(c)
	}
	if err != nil {
		return errors.Join(err, web.Close(), closeIf(rpc))
	}
	attributes := []any{"http", web.Addr().String()}
	if rpc != nil {
		attributes = append(attributes, "grpc", rpc.Addr().String())
	}
	config.Log.Info("serving", attributes...)
	return server.Serve(p.ctx, web, rpc)
}

// modelSources reads the runs to serve: RUN, under the name of its folder, or NAME=RUN.
func modelSources(arguments []string) (sources []serve.Source, err error) {
	if len(arguments) == 0 {
		return nil, usagef("serve needs an argument: gpdrf-gpu serve RUN...")
	}
	given := map[string]bool{}
	for _, word := range arguments {
		name, path, named := strings.Cut(word, "=")
		if _, err := os.Stat(word); err == nil || !named { // the name of a folder can have a =
			path = word
			if name = filepath.Base(filepath.Clean(path)); name == rundir.ModelFile {
				name = filepath.Base(filepath.Dir(path))
			}
			name = strings.TrimSuffix(name, filepath.Ext(rundir.ModelFile))
		}
		switch {
		case name == "" || strings.ContainsAny(name, "/:") || name == "." || name == "..":
			return nil, usagef("%s: %q is not a name for a model: write NAME=%s, without / and :", word, name, path)
		case !utf8.ValidString(name):
			return nil, usagef("%q: the name of a model must be UTF-8: write NAME=%s", word, path)
		case given[name]:
			return nil, usagef("%s: there are two models called %q: write NAME=%s for one of them", word, name, path)
		}
		given[name] = true
		sources = append(sources, serve.Source{Name: name, Path: path})
	}
	return sources, nil
}

// serveConfig reads the options.
func (p *program) serveConfig(c *call) (serve.Config, error) {
	config := serve.Defaults()
	config.Version = version.Number
	config.Log = slog.New(slog.NewTextHandler(p.err, nil))
	if p.quiet {
		config.Log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	config.OpenDevice = func(trainedDevice, precision string) (device.Device, error) {
		dev, _, err := p.deviceOf(c, trainedDevice, precision)
		return dev, err
	}
	config.Samples = c.count("samples", 1, options.MaxSamples, config.Samples)
	config.MaxBatch = c.count("max-batch", 1, 1<<14, config.MaxBatch)
	config.MaxRows = c.count("max-rows", 1, 1<<20, config.MaxRows)
	config.MaxConns = c.count("max-connections", 1, 1<<20, config.MaxConns)
	config.MaxDelay = c.duration("max-delay", 0, time.Second, config.MaxDelay)
	config.Timeout = c.duration("timeout", 10*time.Millisecond, time.Hour, config.Timeout)
	config.MaxBody, config.Memory = c.bytes("max-body", config.MaxBody), c.bytes("memory", 0)
	config.Tokens = valueOf(c, "token-file", config.Tokens, serve.ReadTokens)
	config.Origin = valueOf(c, "cors", config.Origin, origin)
	if c.err == nil {
		config.TLS, c.err = c.tls()
	}
	return config, c.err
}

// origin reads the origin of the pages that may read answers.
func origin(text string) (string, error) {
	if text == serve.AnyOrigin {
		return text, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != text {
		return "", fmt.Errorf("%q is not an origin: write https://HOST or http://HOST:PORT, without a path, or %s",
			text, serve.AnyOrigin)
	}
	return text, nil
}

// tls reads the certificate and its key; nil without them.
func (c *call) tls() (*tls.Config, error) {
	cert, hasCert := c.text("tls-cert")
	key, hasKey := c.text("tls-key")
	switch {
	case !hasCert && !hasKey:
		return nil, nil
	case !hasCert || !hasKey:
		return nil, usagef("--tls-cert and --tls-key: give both")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, usagef("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// duration reads a time, such as 2ms, from least to most.
func (c *call) duration(name string, least, most, def time.Duration) time.Duration {
	return within(c, name, least, most, def, time.ParseDuration, "a time: write 2ms or 30s")
}

// bytes reads a size, such as 16MB.
func (c *call) bytes(name string, def int64) int64 {
	return valueOf(c, name, def, func(text string) (int64, error) {
		n, err := humanize.ParseBytes(text)
		if err != nil || n < 1<<10 || n > 1<<50 {
			return 0, fmt.Errorf("%q is not a size: write 16MB or 2GiB, at least 1 KiB", text)
		}
		return int64(n), nil
	})
}

const (
	noListener = "none"  // the address that turns gRPC off
	unixPrefix = "unix:" // the beginning of the address of a Unix socket
)

// listen opens the addresses. An address that other machines reach needs a token or TLS.
func (c *call) listen(config *serve.Config) (web, rpc net.Listener, err error) {
	insecure := c.isOn("insecure")
	if c.err != nil {
		return nil, nil, c.err
	}
	open := func(flag, def string) (net.Listener, error) {
		address, ok := c.text(flag)
		if !ok {
			address = def
		}
		if path, isUnix := strings.CutPrefix(address, unixPrefix); isUnix {
			return listenUnix(flag, path)
		}
		if address == noListener && flag != "listen" {
			return nil, nil
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, usererror.OfFlag(flag, "%q is not an address: write HOST:PORT, such as %s, or unix:FILE",
				address, httpAddress)
		}
		if !serve.IsLoopback(address) && !insecure {
			switch {
			case config.Tokens == nil && config.TLS == nil:
				return nil, usererror.OfFlag(flag, "other machines reach %s: give --token-file and --tls-cert, or "+
					"--insecure to let anybody in", address)
			case config.Tokens == nil:
				config.Log.Warn("anybody who reaches the address may ask: --token-file lets in those who have "+
					"a token", "address", address)
			case config.TLS == nil:
				config.Log.Warn("tokens and rows travel in the clear: --tls-cert and --tls-key "+
					"encrypt them", "address", address)
			}
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, usererror.OfFlag(flag, "%w", err)
		}
		return l, nil
	}
	if web, err = open("listen", httpAddress); err != nil {
		return nil, nil, err
	}
	if rpc, err = open("grpc-listen", grpcAddress); err != nil {
		return nil, nil, errors.Join(err, web.Close())
	}
	return web, rpc, nil
}

// listenUnix opens a Unix socket for this user alone. The socket is removed when it is closed.
func listenUnix(flag, path string) (net.Listener, error) {
	if path == "" || path[0] == '@' { // on Linux such a socket has no file, and so no permissions
		return nil, usererror.OfFlag(flag, "unix:%s has no file, so others could reach it: write unix:FILE", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, usererror.OfFlag(flag, "%s exists: remove it if no server uses it, or give another name", path)
	}
	l, err := listenSocket(path)
	if err != nil {
		return nil, usererror.OfFlag(flag, "%w", err)
	}
	return l, nil
}

func closeIf(l net.Listener) error {
	if l == nil {
		return nil
	}
	return l.Close()
}

// endAtEOF makes the end of standard input end the command, if until-eof is set.
func (p *program) endAtEOF(c *call) error {
	if !c.isOn("until-eof") {
		return c.err
	}
	if from, _ := c.text("data"); from == "-" {
		return c.errorf("until-eof", "waits for the end of standard input, which --data - reads: leave one of them out")
	}
	go func() {
		io.Copy(io.Discard, os.Stdin) // an input that cannot be read counts as ended
		p.interrupt()
	}()
	return nil
}
