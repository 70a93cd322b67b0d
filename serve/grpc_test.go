package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	rpcgzip "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// bare sends a body to ModelInfer by HTTP/2, on a connection of its own, and returns the status of gRPC and its
// message, or the status of HTTP that is no 200.
func (r *running) bare(body io.Reader, headers ...string) (code, message string, err error) {
	transport := &http.Transport{Protocols: &http.Protocols{}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	q, err := http.NewRequest("POST", "http://"+r.rpc+"/"+inference.Service+"/ModelInfer", body)
	if err != nil {
		return "", "", err
	}
	for _, h := range append([]string{"Content-Type=application/grpc", "Te=trailers"}, headers...) {
		name, value, _ := strings.Cut(h, "=")
		q.Header.Set(name, value)
	}
	a, err := transport.RoundTrip(q)
	if err != nil {
		return "", "", err
	}
	defer a.Body.Close()
	if _, err := io.Copy(io.Discard, a.Body); err != nil {
		return "", "", err
	}
	if a.StatusCode != http.StatusOK {
		return a.Status, "", nil
	}
	for _, at := range []http.Header{a.Header, a.Trailer} {
		if code = at.Get("Grpc-Status"); code != "" {
			message, err = url.PathUnescape(at.Get("Grpc-Message"))
			return code, message, err
		}
	}
	return "", "", io.ErrUnexpectedEOF
}

// framed returns the start of a message of gRPC with the given size.
func framed(flag byte, n int) []byte { return binary.BigEndian.AppendUint32([]byte{flag}, uint32(n)) }

// messageOf encodes a message of gRPC.
func messageOf(t *testing.T, q proto.Message) io.Reader {
	t.Helper()
	text := must.Get(proto.Marshal(q))(t)
	return bytes.NewReader(append(framed(0, len(text)), text...))
}

// Messages that come in part are bounded together: those beyond are refused, and their bytes are forgotten.
func TestUnreadMessages(t *testing.T) {
	const size, clients = 1 << 20, 2 * bodiesAtOnce
	c := testConfig()
	c.MaxBody = size
	r := serveKind(t, numbers, c)
	ended := make(chan string, clients)
	var writers []*io.PipeWriter
	for range clients {
		from, to := io.Pipe()
		writers = append(writers, to)
		go func() {
			code, _, err := r.bare(from)
			from.CloseWithError(io.ErrClosedPipe)
			ended <- fmt.Sprint(code, err)
		}()
		if _, err := to.Write(append(framed(0, size-messageHead), make([]byte, size-2*messageHead)...)); err != nil {
			t.Log(err) // it was refused
		}
	}
	for range clients - bodiesAtOnce {
		if answer := <-ended; answer != "8<nil>" {
			t.Errorf("a message beyond the memory: %s", answer)
		}
	}
	if more := len(ended); more > 0 {
		t.Errorf("%d messages more than needed were refused", more)
	}
	for _, to := range writers {
		to.CloseWithError(io.ErrUnexpectedEOF)
	}
	r.waitForNoBytes(t)
	if _, err := r.dial(t).ModelInfer(t.Context(), smallCall()); err != nil {
		t.Errorf("a small request: %v", err)
	}
}

// waitForNoBytes waits until no message is counted.
func (r *running) waitForNoBytes(t *testing.T) {
	t.Helper()
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must.OK(t, r.bodies.Acquire(soon, bodiesAtOnce*r.MaxBody))
	r.bodies.Release(bodiesAtOnce * r.MaxBody)
}

// smallCall asks for one row.
func smallCall() *inference.ModelInferRequest {
	return &inference.ModelInferRequest{ModelName: "m", Inputs: []*inference.ModelInferRequest_InferInputTensor{{
		Name: "inputs", Datatype: "FP64", Shape: []int64{1, 2},
		Contents: &inference.InferTensorContents{Fp64Contents: []float64{1, 2}}}}}
}

// A message that has come counts until it is answered; without memory it is to come again.
func TestMessagesInWork(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	client := r.dial(t)
	must.OK(t, r.bodies.Acquire(t.Context(), bodiesAtOnce*r.MaxBody))
	if _, err := client.ModelInfer(t.Context(), smallCall()); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("without memory: %v", err)
	}
	if _, err := client.ServerLive(t.Context(), &inference.ServerLiveRequest{}); err != nil {
		t.Errorf("a probe without memory: %v", err)
	}
	_, metrics := r.get(t, "/metrics")
	if want := `gpdrf_requests_total{model="",protocol="grpc",status="ResourceExhausted"} 1` + "\n"; !bytes.Contains(
		metrics, []byte(want)) {
		t.Errorf("metrics lack %s", want)
	}
	r.bodies.Release(bodiesAtOnce * r.MaxBody)
	for range 100 {
		must.Get(client.ModelInfer(t.Context(), smallCall()))(t)
	}
	r.waitForNoBytes(t)
}

// Calls beyond the most at a time are refused, and those that have ended do not count.
func TestCallsAtOnce(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	client := r.dial(t)
	for before, want := range map[int64]codes.Code{callsAtOnce: codes.ResourceExhausted, callsAtOnce - 1: codes.OK} {
		must.OK(t, r.calls.Acquire(t.Context(), before))
		for range 3 {
			if _, err := client.ModelInfer(t.Context(), smallCall()); status.Code(err) != want {
				t.Errorf("a call beside %d: %v", before, err)
			}
		}
		r.calls.Release(before)
	}
}

// The body of a call is one message, whose size is that of the body.
func TestMessagesOfCall(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	one := func() io.Reader { return messageOf(t, smallCall()) }
	for what, body := range map[string]io.Reader{"none": strings.NewReader(""),
		"a part of its head": strings.NewReader("\x00"), "two": io.MultiReader(one(), one()),
		"less than its size": bytes.NewReader(framed(0, 1))} {
		code, text, err := r.bare(body)
		if code != "3" || !strings.Contains(text, "not one message") || err != nil {
			t.Errorf("%s: status %s, %q, %v", what, code, text, err)
		}
	}
}

// A compressed message is refused, as over HTTP, and the answer tells how to send it.
func TestCompressedMessage(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	var small bytes.Buffer
	packer := gzip.NewWriter(&small)
	packer.Write(make([]byte, 8<<20))
	packer.Close()
	code, message, err := r.bare(io.MultiReader(bytes.NewReader(framed(1, small.Len())), &small), "Grpc-Encoding=gzip")
	if err != nil || code != "12" || !strings.Contains(message, "send the message as it is") {
		t.Errorf("status %s, %q, %v", code, message, err)
	}
	var header metadata.MD
	_, err = r.dial(t).ModelInfer(t.Context(), smallCall(), grpc.UseCompressor(rpcgzip.Name), grpc.Header(&header))
	if accepts := header.Get("grpc-accept-encoding"); status.Code(err) != codes.Unimplemented ||
		!slices.Equal(accepts, []string{"identity"}) {
		t.Errorf("%v, which accepts %q", err, accepts)
	}
}

// Calls come over TLS, too; the connection of a client without HTTP/2 is closed.
func TestCallsByTLS(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	defer web.Close()
	c := testConfig()
	c.TLS = &tls.Config{Certificates: web.TLS.Certificates}
	r := serveKind(t, numbers, c)
	trust := web.Client().Transport.(*http.Transport).TLSClientConfig
	conn := must.Get(grpc.NewClient(r.rpc, grpc.WithTransportCredentials(credentials.NewTLS(trust))))(t)
	defer conn.Close()
	if _, err := (rpcClient{conn}).ModelInfer(t.Context(), smallCall()); err != nil {
		t.Error(err)
	}
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, Protocols: &http.Protocols{}}}
	old.Transport.(*http.Transport).Protocols.SetHTTP1(true)
	if a, err := old.Get("https://" + r.rpc); err == nil {
		t.Errorf("HTTP/1 got %s", a.Status)
	}
}

// A call that says nothing of gRPC is refused: a web page may send it without asking.
func TestContentType(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	for kind, want := range map[string]string{"application/grpc": "0", "Application/gRPC+proto; x=y": "0",
		"text/plain": "415 Unsupported Media Type", "application/grpc+json": "415 Unsupported Media Type",
		"": "415 Unsupported Media Type"} {
		if code, text, err := r.bare(messageOf(t, smallCall()), "Content-Type="+kind); code != want || err != nil {
			t.Errorf("%q: status %s, %s, %v", kind, code, text, err)
		}
	}
}

// A call takes no longer than its client waits.
func TestTimeOfCall(t *testing.T) {
	c := testConfig()
	c.Timeout = 10 * time.Second
	r := serveKind(t, numbers, c)
	must.OK(t, r.room.Acquire(t.Context(), maxNumbers))
	defer r.room.Release(maxNumbers)
	began := time.Now()
	code, text, err := r.bare(messageOf(t, smallCall()), "Grpc-Timeout=50m")
	if took := time.Since(began); code != "4" || err != nil || took >= c.Timeout {
		t.Errorf("status %s, %s, %v after %v", code, text, err, took)
	}
}

// The header grpc-timeout counts where it is less than the limit of the server.
func TestTimeLeft(t *testing.T) {
	c := testConfig()
	c.Timeout = 1500 * time.Millisecond
	s := New(c, nil)
	for given, want := range map[string]time.Duration{"": c.Timeout, "1S": time.Second, "2S": c.Timeout,
		"1500m": c.Timeout, "1499m": 1499 * time.Millisecond, "99999999H": c.Timeout, "1M": c.Timeout,
		"00000007u": 7 * time.Microsecond, "99999999n": 99999999, "0n": 0} {
		if got, err := s.callTimeout(given); got != want || err != nil {
			t.Errorf("%q: %v, %v, expected %v", given, got, err, want)
		}
	}
	for _, given := range []string{"1", "S", "1s", "-1S", "+1S", "1.5S", "100000000n", "1 S", "1SS", "é"} {
		if got, err := s.callTimeout(given); err == nil || reported(err).kind != bad {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
}
