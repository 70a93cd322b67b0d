package serve

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// others asks all the time while a test abuses the server, and says how many answers came and how long the slowest
// took.
func (r *running) others(t *testing.T) (end func() (answers int, slowest time.Duration)) {
	stop, ended := make(chan struct{}), make(chan struct{})
	answers := 0
	slowest := time.Duration(0)
	client := &http.Client{Transport: &http.Transport{}}
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			began := time.Now()
			a, err := client.Post(r.url+"/v1/models/m:predict", "application/json",
				strings.NewReader(`{"instances":[[1,2]]}`))
			if err != nil {
				t.Errorf("another client: %v", err)
				return
			}
			io.Copy(io.Discard, a.Body)
			a.Body.Close()
			if a.StatusCode != http.StatusOK {
				t.Errorf("another client: status %d", a.StatusCode)
			}
			answers++
			slowest = max(slowest, time.Since(began))
		}
	}()
	return func() (int, time.Duration) {
		close(stop)
		<-ended
		client.CloseIdleConnections()
		return answers, slowest
	}
}

// dialHTTP opens a connection and writes a text.
func (r *running) dialHTTP(t *testing.T, text string) net.Conn {
	t.Helper()
	conn := must.Get(net.Dial("tcp", strings.TrimPrefix(r.url, "http://")))(t)
	t.Cleanup(func() { conn.Close() })
	must.Get(io.WriteString(conn, text))(t)
	return conn
}

// closedWithin waits until the server closes a connection, and returns what it said before.
func closedWithin(t *testing.T, conn net.Conn, d time.Duration) string {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(d))
	said, err := io.ReadAll(conn)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Errorf("still open after %v: %q", d, said)
	}
	return string(said)
}

// Clients that send a header byte by byte, or nothing, or half a body, are left; others do not notice.
func TestSlowClients(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for time limits; leave -short out")
	}
	t.Parallel()
	c := testConfig()
	c.Timeout = 3 * time.Second
	r := serveKind(t, numbers, c)
	end := r.others(t)
	var clients sync.WaitGroup
	for i := range 60 {
		conn := r.dialHTTP(t, "")
		clients.Go(func() {
			text := "POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 1000)
			switch i % 3 {
			case 1:
				text = "POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\nContent-Length: " +
					"1000\r\n\r\n{\"instances\":[" + strings.Repeat(" ", 900)
			case 2:
				text = ""
			}
			go func() { // byte by byte, until the server has closed
				for k := range text {
					if _, err := conn.Write([]byte{text[k]}); err != nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}()
			closedWithin(t, conn, headerTimeout+c.Timeout)
		})
	}
	clients.Wait()
	if answers, slowest := end(); answers < 100 || slowest > 2*time.Second {
		t.Errorf("others got %d answers, the slowest after %v", answers, slowest)
	}
}

// A body that takes longer than a request may gets the status of that limit.
func TestSlowBody(t *testing.T) {
	c := testConfig()
	c.Timeout = 200 * time.Millisecond
	r := serveKind(t, numbers, c)
	conn := r.dialHTTP(t, "POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
	must.Contain(t, closedWithin(t, conn, headerTimeout), "HTTP/1.1 504 ")
}

// A client that sends the whole body before it reads gets the status of an error, not a reset connection.
func TestErrorAfterWholeBody(t *testing.T) {
	c := testConfig()
	c.MaxBody = 1000
	r := serveKind(t, numbers, c)
	body := strings.Repeat(" ", 8<<20)
	for head, want := range map[string]string{
		"POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n":              "413",
		"POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n": "413",
		"POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n":                       "404",
	} {
		for range 5 {
			conn := r.dialHTTP(t, head)
			_, err := io.WriteString(conn, body)
			if strings.Contains(head, "chunked") {
				io.WriteString(conn, "\r\n0\r\n\r\n")
			}
			time.Sleep(20 * time.Millisecond)
			answer, readErr := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || readErr != nil || !strings.HasPrefix(answer.Status, want) {
				t.Fatalf("%s: %v, %v, %v", want, err, readErr, answer)
			}
			conn.Close()
		}
	}
}

// Garbage, absurd headers and half-closed connections get an error or nothing; the server goes on.
func TestMalformed(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	end := r.others(t)
	post := "POST /v1/models/m:predict HTTP/1.1\r\nHost: x\r\n"
	for text, want := range map[string]string{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03": "400", // TLS
		"hello\r\n\r\n":                                                              "400",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                           "400",
		post + "Content-Length: -1\r\n\r\n":                                          "400",
		post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n":                      "400",
		post + "Content-Length: 99999999999\r\n\r\n{}":                               "413",
		post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n":                            "400",
		post + strings.Repeat("X-Y: "+strings.Repeat("b", 1000)+"\r\n", 64) + "\r\n": "431",

		post + "Content-Length: 10\r\n\r\n{}": "400",
	} {
		conn := r.dialHTTP(t, text)
		must.OK(t, conn.(*net.TCPConn).CloseWrite())
		said := closedWithin(t, conn, 5*time.Second)
		if status, _, _ := strings.Cut(said, "\r\n"); said != "" && !strings.Contains(status, want) {
			t.Errorf("%.60q: %q, expected %s", text, status, want)
		}
	}
	conn := r.dialHTTP(t, post+"Content-Length: 21\r\n\r\n{\"instances\":[[1,2]]}")
	// a whole request, and then half closed
	must.OK(t, conn.(*net.TCPConn).CloseWrite())
	// to the server it may look as if the client had left
	if said := closedWithin(t, conn, 5*time.Second); said != "" &&
		!strings.HasPrefix(said, "HTTP/1.1 200") && !strings.HasPrefix(said, "HTTP/1.1 499") {
		t.Errorf("a half-closed client: %q", said)
	}
	for range 20 { // gone in the middle of an answer
		r.dialHTTP(t, post+"Content-Length: 21\r\n\r\n{\"instances\":[[1,2]]}").Close()
	}
	if answers, _ := end(); answers == 0 {
		t.Error("others got no answers")
	}
}

// At the limit a new connection waits for the end of another one.
func TestMaxConns(t *testing.T) {
	c := testConfig()
	c.MaxConns = 2
	r := serveKind(t, numbers, c)
	request := "GET /v2/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	first := r.dialHTTP(t, "")
	r.dialHTTP(t, "")
	third := r.dialHTTP(t, request)
	third.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := third.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a third connection is answered: %v", err)
	}
	first.Close()
	must.Contain(t, closedWithin(t, third, headerTimeout), "HTTP/1.1 200 ")
}
