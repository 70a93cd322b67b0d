package dist

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Meeting joins the ranks of a launcher without MPI, such as torchrun, for a few short texts: their training options,
// and the start data of a communication library. Rank 0 listens, and the others call. It does no sums.
type Meeting struct {
	place ProcessRank
	limit time.Duration
	peers []peer // on rank 0 all ranks, without a connection to itself; on other ranks rank 0 alone
}

// peer is a rank at the other end of a connection.
type peer struct {
	net.Conn
	in  *json.Decoder
	out *json.Encoder
}

// greeting is the first message of a rank.
type greeting struct{ Rank, Size int }

// longestGreeting is a bound of the length of a greeting, in bytes.
const longestGreeting = 1 << 10

// Address returns the address where ranks meet, from the variables MASTER_ADDR and MASTER_PORT that torchrun sets. If
// torchrun itself listens there, the address has the next port.
func Address(getenv func(string) string) (string, error) {
	host, text := getenv("MASTER_ADDR"), getenv("MASTER_PORT")
	port, err := strconv.Atoi(text)
	if host == "" || err != nil || port < 1 || port > 65534 {
		return "", usererror.Errorf("MASTER_ADDR=%q and MASTER_PORT=%q do not say where the processes meet: "+
			"start them with torchrun, or set both to the address and a free port of rank 0's machine", host, text)
	}
	if strings.EqualFold(getenv("TORCHELASTIC_USE_AGENT_STORE"), "true") {
		port++
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

// Meet waits for all ranks. limit is the longest wait, also of each Exchange; 0 is no limit.
func Meet(p ProcessRank, address string, limit time.Duration) (m *Meeting, err error) {
	m = &Meeting{place: p, limit: limit}
	if p.Rank == 0 {
		err = m.listen(address)
	} else {
		err = m.call(address)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// deadline returns the end of a wait that begins now; zero without a limit.
func (m *Meeting) deadline() time.Time {
	if m.limit == 0 {
		return time.Time{}
	}
	return time.Now().Add(m.limit)
}

// newPeer returns the rank at the other end of c.
func newPeer(c net.Conn) peer {
	return peer{c, json.NewDecoder(c), json.NewEncoder(c)}
}

// listen waits for all other ranks. The connections of other callers are closed.
func (m *Meeting) listen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		host = "" // only the other ranks may know this name
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("the processes cannot meet: %w: give torchrun another --master-port", err)
	}
	defer l.Close()
	deadline := m.deadline()
	if err := l.(*net.TCPListener).SetDeadline(deadline); err != nil {
		return err
	}
	m.peers = make([]peer, m.place.Size)
	for missing := m.place.Size - 1; missing > 0; {
		c, err := l.Accept()
		if err != nil {
			return fmt.Errorf("%s not come to %s: %w", m.missingRanks(), address, err)
		}
		if m.accept(c, deadline) {
			missing--
		} else {
			c.Close()
		}
	}
	return nil
}

// accept adds a caller to the peers, and reports whether it is a rank that was missing.
func (m *Meeting) accept(c net.Conn, deadline time.Time) bool {
	const patience = 10 * time.Second // the longest wait for a silent caller
	if first := time.Now().Add(patience); deadline.IsZero() || first.Before(deadline) {
		deadline = first
	}
	var g greeting
	p := newPeer(c)
	from := &io.LimitedReader{R: c, N: longestGreeting}
	p.in = json.NewDecoder(from)
	if c.SetDeadline(deadline) != nil || p.in.Decode(&g) != nil || g.Size != m.place.Size ||
		g.Rank < 1 || g.Rank >= g.Size || m.peers[g.Rank].Conn != nil {
		return false
	}
	from.N = math.MaxInt64 // later messages are longer: they can have the names of all columns
	m.peers[g.Rank] = p
	return true
}

// missingRanks names the ranks that have not called.
func (m *Meeting) missingRanks() string {
	var ranks []string
	for r, p := range m.peers[1:] {
		if p.Conn == nil {
			ranks = append(ranks, strconv.Itoa(r+1))
		}
	}
	if len(ranks) == 1 {
		return "rank " + ranks[0] + " has"
	}
	return "ranks " + strings.Join(ranks, ", ") + " have"
}

// call connects to rank 0. It tries again until rank 0 answers.
func (m *Meeting) call(address string) error {
	deadline := m.deadline()
	for {
		c, err := (&net.Dialer{Deadline: deadline}).Dial("tcp", address)
		if err == nil {
			m.peers = []peer{newPeer(c)}
			if err := c.SetDeadline(deadline); err != nil {
				return err
			}
			return m.peers[0].out.Encode(greeting{m.place.Rank, m.place.Size})
		}
		if !deadline.IsZero() && time.Now().After(deadline) {
			return fmt.Errorf("rank 0 does not answer at %s: %w", address, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Exchange returns the texts of all ranks, as the type Exchange does.
func (m *Meeting) Exchange(mine []byte) (texts [][]byte, err error) {
	for _, p := range m.peers {
		if p.Conn != nil {
			if err := p.SetDeadline(m.deadline()); err != nil {
				return nil, err
			}
		}
	}
	if m.place.Rank > 0 {
		zero := m.peers[0]
		if err = zero.out.Encode(mine); err == nil {
			err = zero.in.Decode(&texts)
		}
		if err == nil && len(texts) != m.place.Size {
			err = fmt.Errorf("%d texts of %d", len(texts), m.place.Size)
		}
		if err = peerError(0, err); err != nil {
			// Rank 0 also closes the connection of a second process with this rank.
			err = fmt.Errorf("%w: or another process is rank %d, or RANK and WORLD_SIZE are not those of one job",
				err, m.place.Rank)
		}
		return texts, err
	}
	texts = make([][]byte, m.place.Size)
	texts[0] = mine
	for r, p := range m.peers[1:] {
		if err := p.in.Decode(&texts[r+1]); err != nil {
			return nil, peerError(r+1, err)
		}
	}
	for r, p := range m.peers[1:] {
		if err := p.out.Encode(texts); err != nil {
			return nil, peerError(r+1, err)
		}
	}
	return texts, nil
}

// peerError returns the error of a rank that does not answer; nil if err is nil.
func peerError(rank int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rank %d hangs, or has ended: %w", rank, err)
}

// Close ends the connections.
func (m *Meeting) Close() {
	for _, p := range m.peers {
		if p.Conn != nil {
			p.Conn.Close()
		}
	}
}
