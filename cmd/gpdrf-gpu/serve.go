package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/serve"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

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
	if ended := guard.end(); ended != nil {
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
		if _, err := os.Stat(word); err == nil || !named { // The name of a folder can have a =.
			path = word
			if name = filepath.Base(filepath.Clean(path)); name == rundir.ModelFile {
				name = filepath.Base(filepath.Dir(path))
			}
			name = strings.TrimSuffix(name, filepath.Ext(rundir.ModelFile))
		}
		switch {
		case name == "" || strings.ContainsAny(name, "/:") || name == "." || name == "..":
			return nil, usagef("%s: %q is no name for a model: write NAME=%s, without / and :", word, name, path)
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
	config.Version, config.Log = rundir.Version, slog.New(slog.NewTextHandler(p.err, nil))
	if p.quiet {
		config.Log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	config.OpenDevice = func(trainedOn, precision string) (device.Device, error) {
		dev, _, err := c.deviceOf(p, trainedOn, precision)
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
		return "", fmt.Errorf("%q is no origin: write https://HOST or http://HOST:PORT, without a path, or %s",
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
func (c *call) duration(name string, least, most, otherwise time.Duration) time.Duration {
	return valueOf(c, name, otherwise, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		switch {
		case err != nil:
			err = fmt.Errorf("%q is not a time: write 2ms or 30s", text)
		case d < least || d > most:
			err = fmt.Errorf("%q must be at least %v and at most %v", text, least, most)
		}
		return d, err
	})
}

// bytes reads a size, such as 16MB.
func (c *call) bytes(name string, otherwise int64) int64 {
	return valueOf(c, name, otherwise, func(text string) (int64, error) {
		n, err := humanize.ParseBytes(text)
		if err != nil || n < 1<<10 || n > 1<<50 {
			return 0, fmt.Errorf("%q is not a size: write 16MB or 2GiB, at least 1 KiB", text)
		}
		return int64(n), nil
	})
}
