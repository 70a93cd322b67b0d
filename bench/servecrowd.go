package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// measureCrowd loads a server with TLS and a token, among clients that misbehave. Then it ends the server under the
// load of the other clients.
func (l *load) measureCrowd() error {
	s, err := l.startGuarded()
	if err != nil {
		return err
	}
	var crowd sync.WaitGroup
	done, unexpected := make(chan struct{}), &atomic.Int64{}
	for _, m := range misdeeds() {
		for range m.clients {
			crowd.Go(func() { s.misbehave(m, done, unexpected) })
		}
	}
	took, failures, memory := l.sendRequests(s, 1)
	close(done)
	crowd.Wait()
	fmt.Printf("with TLS and a token, in a crowd of misbehaving clients: %s; %d answers to these were unexpected\n",
		l.figures(1, took, failures, memory), unexpected.Load())
	answers, lost, err := l.untilTheEnd(s)
	if err != nil {
		return err
	}
	fmt.Printf("SIGTERM while %d clients ask: %d answers, %d requests lost\n", l.clients, answers, lost)
	if failures > 0 || lost > 0 || unexpected.Load() > 0 {
		return errors.New("there were errors")
	}
	return nil
}

// startGuarded starts a server with a separate certificate and a token.
func (l *load) startGuarded() (*server, error) {
	own := httptest.NewTLSServer(nil) // it has a certificate of 127.0.0.1
	own.Close()
	pair := own.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return nil, err
	}
	token := rand.Text()
	files := map[string][]byte{
		"cert.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"tokens":   []byte(token + "\n"),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(l.folder, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	s, err := l.start("--tls-cert", filepath.Join(l.folder, "cert.pem"), "--tls-key",
		filepath.Join(l.folder, "key.pem"), "--token-file", filepath.Join(l.folder, "tokens"))
	if err != nil {
		return nil, err
	}
	s.url, s.token = strings.Replace(s.url, "http:", "https:", 1), token
	trusts := own.Client().Transport.(*http.Transport).TLSClientConfig
	s.client.Transport.(*http.Transport).TLSClientConfig = trusts
	return s, nil
}

// misdeed is a client's misbehaviour, on a new connection each time.
type misdeed struct {
	clients int
	plain   bool     // the connection has no TLS
	text    string   // the text that the client writes
	slowly  bool     // the text is written byte by byte
	halfway bool     // the client closes its side for writing
	answers []string // permitted beginnings of an answer; the server may always close without an answer
	idle    int      // number of connections that the client opens and leaves idle
}

func misdeeds() []misdeed {
	post := "POST /v1/models/power:predict HTTP/1.1\r\nHost: x\r\n"
	return []misdeed{
		{clients: 100, text: post + "X-A: " + strings.Repeat("a", 1000), slowly: true,
			answers: []string{"HTTP/1.1 400"}},
		{clients: 100, plain: true, text: "\x16\x03\x01\x02\x00" + strings.Repeat("a", 500), slowly: true},
		{clients: 4, plain: true, text: post + "\r\n", answers: []string{"HTTP/1.0 400"}},
		{clients: 4, text: "hello\r\n\r\n", answers: []string{"HTTP/1.1 400"}},
		{clients: 4, text: post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
			answers: []string{"HTTP/1.1 400"}},
		{clients: 4, text: post + strings.Repeat("X-Y: "+strings.Repeat("b", 1000)+"\r\n", 64) + "\r\n",
			answers: []string{"HTTP/1.1 431"}},
		{clients: 4, text: post + "Content-Length: 99999999999\r\n\r\n{}",
			answers: []string{"HTTP/1.1 401", "HTTP/1.1 413"}},
		{clients: 4, text: post + "Connection: close\r\nContent-Length: 2\r\n\r\n{}",
			answers: []string{"HTTP/1.1 401"}},
		{clients: 4, text: post + "Content-Length: 1000\r\n\r\n{", halfway: true,
			answers: []string{"HTTP/1.1 400", "HTTP/1.1 401"}},
		{clients: 10, plain: true, idle: 1000},
	}
}

// misbehave repeats a misdeed until the end. An answer that is not expected counts as wrong.
func (s *server) misbehave(m misdeed, done <-chan struct{}, unexpected *atomic.Int64) {
	for {
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
		if m.idle > 0 {
			s.hold(m.idle, done, unexpected)
			continue
		}
		conn, err := s.dial(m.plain)
		if err != nil { // too many connections wait
			continue
		}
		answer := m.write(conn, done)
		conn.Close()
		expected := answer == ""
		for _, begin := range m.answers {
			expected = expected || strings.HasPrefix(answer, begin)
		}
		if !expected {
			unexpected.Add(1)
			fmt.Printf("%.60q: %.100q\n", m.text, answer)
		}
	}
}

func (s *server) dial(plain bool) (net.Conn, error) {
	d := &net.Dialer{Timeout: 20 * time.Second}
	if plain {
		return d.Dial("tcp", s.address)
	}
	return tls.DialWithDialer(d, "tcp", s.address, &tls.Config{InsecureSkipVerify: true})
}

// write sends the text, and returns the answer.
func (m *misdeed) write(conn net.Conn, done <-chan struct{}) string {
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	if m.slowly {
		go func() {
			for i := range m.text {
				select {
				case <-done:
					conn.Close()
					return
				case <-time.After(100 * time.Millisecond):
				}
				if _, err := conn.Write([]byte{m.text[i]}); err != nil {
					return
				}
			}
		}()
	} else {
		io.WriteString(conn, m.text)
	}
	if half, ok := conn.(interface{ CloseWrite() error }); m.halfway && ok {
		half.CloseWrite()
	}
	answer, err := io.ReadAll(conn)
	if netErr := net.Error(nil); errors.As(err, &netErr) && netErr.Timeout() {
		return "nothing: the connection stays open"
	}
	return string(answer)
}

// hold opens connections and leaves them idle until the end. A connection that cannot be opened counts as wrong.
func (s *server) hold(n int, done <-chan struct{}, unexpected *atomic.Int64) {
	for range n {
		conn, err := s.dial(true)
		if err != nil {
			unexpected.Add(1)
			fmt.Println("an idle connection:", err)
			continue
		}
		defer conn.Close()
	}
	<-done
}

// untilTheEnd sends SIGTERM to the server while clients send requests without a pause. It counts the answers, and the
// requests without an answer. A client ends when it cannot connect.
func (l *load) untilTheEnd(s *server) (answers, lost int64, err error) {
	var asking sync.WaitGroup
	var answered, unanswered atomic.Int64
	body := l.body(1)
	for range l.clients {
		asking.Go(func() {
			for {
				err := s.post(body)
				if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
					return
				}
				if err != nil {
					unanswered.Add(1)
					fmt.Println("lost:", err)
					return
				}
				answered.Add(1)
			}
		})
	}
	time.Sleep(2 * time.Second)
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, 0, err
	}
	asking.Wait()
	return answered.Load(), unanswered.Load(), s.command.Wait()
}
