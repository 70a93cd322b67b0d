package serve

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
	time.Sleep(100 * time.Millisecond) // it is in a batch now
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if code := <-status; code != 200 {
		t.Errorf("a request in work: %d", code)
	}
	if _, err := http.Get(r.url + "/v2/health/ready"); err == nil {
		t.Error("the server still answers")
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
