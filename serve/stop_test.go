package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Requests in work are finished when the server ends, and no new ones are taken.
func TestStop(t *testing.T) {
	c := testConfig()
	c.MaxDelay = 300 * time.Millisecond
	r := serveKind(t, numbers, c)
	status := make(chan int, 1)
	go func() {
		code, _, _, err := r.try("/v1/models/m:predict", []byte(`{"instances":[[1,2]]}`))
		if err != nil {
			code = -1
		}
		status <- code
	}()
	client := r.dial(t)
	called := make(chan error, 1)
	go func() {
		_, err := client.ModelInfer(t.Context(), smallCall())
		called <- err
	}()
	time.Sleep(100 * time.Millisecond) // both are in a batch now
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if code := <-status; code != 200 {
		t.Errorf("a request in work: %d", code)
	}
	if err := <-called; err != nil {
		t.Errorf("a call in work: %v", err)
	}
	if _, err := http.Get(r.url + "/v2/health/ready"); err == nil {
		t.Error("the server still answers")
	}
}

// lateListener is a listener whose end is seen late.
type lateListener struct{ net.Listener }

func (l lateListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		time.Sleep(100 * time.Millisecond)
	}
	return conn, err
}

// A server without requests leaves none behind.
func TestStopIdle(t *testing.T) {
	var log bytes.Buffer
	c := testConfig()
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- New(c, nil).Serve(ctx, lateListener{l}, nil) }()
	must.Get(http.Get("http://" + l.Addr().String() + "/v2/health/live"))(t).Body.Close()
	stop()
	if err := <-ended; err != nil || strings.Contains(log.String(), "WARN") {
		t.Errorf("%v, %s", err, &log)
	}
}

// Clients that ask without a pause lose no request when the server ends: they get an answer to each
// until they find nobody to connect to.
func TestStopUnderLoad(t *testing.T) {
	c := testConfig()
	c.Linger = time.Minute // whatever else the machine does
	r := serveKind(t, numbers, c)
	var asking sync.WaitGroup
	var answers atomic.Int64
	begun := make(chan struct{}, 16)
	for range cap(begun) {
		asking.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := 0; ; n++ {
				a, err := client.Post(r.url+"/v1/models/m:predict", "application/json",
					strings.NewReader(`{"instances":[[1,2]]}`))
				if dial := (*net.OpError)(nil); n > 0 && errors.As(err, &dial) && dial.Op == "dial" {
					return
				}
				if err != nil {
					t.Errorf("request %d is lost: %v", n, err)
					return
				}
				if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode != http.StatusOK {
					t.Errorf("request %d: status %d, %v", n, a.StatusCode, err)
				}
				a.Body.Close()
				if answers.Add(1); n == 3 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	asking.Wait()
	if n := answers.Load(); n < 64 {
		t.Errorf("%d answers", n)
	}
}
