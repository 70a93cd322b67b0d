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

// Rendezvous joins the ranks of a launcher without MPI, such as torchrun, for a few short texts: their training
// options, and the start data of a communication library. Rank 0 listens, and the others call. It does no sums.
type Rendezvous struct {
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

// NewRendezvous waits for all ranks. limit is the longest wait, also of each Exchange; 0 is no limit.
func NewRendezvous(p ProcessRank, address string, limit time.Duration) (v *Rendezvous, err error) {
	v = &Rendezvous{place: p, limit: limit}
	if p.Rank == 0 {
		err = v.listen(address)
	} else {
		err = v.call(address)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// deadline returns the end of a wait that begins now; zero without a limit.
func (v *Rendezvous) deadline() time.Time {
	if v.limit == 0 {
		return time.Time{}
	}
	return time.Now().Add(v.limit)
}

// newPeer returns the rank at the other end of c.
func newPeer(c net.Conn) peer {
	return peer{c, json.NewDecoder(c), json.NewEncoder(c)}
}

// listen waits for all other ranks. The connections of other callers are closed.
func (v *Rendezvous) listen(address string) error {
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
	deadline := v.deadline()
	if err := l.(*net.TCPListener).SetDeadline(deadline); err != nil {
		return err
	}
	v.peers = make([]peer, v.place.Size)
	for missing := v.place.Size - 1; missing > 0; {
		c, err := l.Accept()
		if err != nil {
			return fmt.Errorf("%s not come to %s: %w", v.missingRanks(), address, err)
		}
		if v.accept(c, deadline) {
			missing--
		} else {
			c.Close()
		}
	}
	return nil
}

// accept adds a caller to the peers, and reports whether it is a rank that was missing.
func (v *Rendezvous) accept(c net.Conn, deadline time.Time) bool {
	const patience = 10 * time.Second // the longest wait for a silent caller
	if first := time.Now().Add(patience); deadline.IsZero() || first.Before(deadline) {
		deadline = first
	}
	var g greeting
	p := newPeer(c)
	from := &io.LimitedReader{R: c, N: longestGreeting}
	p.in = json.NewDecoder(from)
	if c.SetDeadline(deadline) != nil || p.in.Decode(&g) != nil || g.Size != v.place.Size ||
		g.Rank < 1 || g.Rank >= g.Size || v.peers[g.Rank].Conn != nil {
		return false
	}
	from.N = math.MaxInt64 // later messages are longer: they can have the names of all columns
	v.peers[g.Rank] = p
	return true
}

// missingRanks names the ranks that have not called.
func (v *Rendezvous) missingRanks() string {
	var ranks []string
	for r, p := range v.peers[1:] {
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
func (v *Rendezvous) call(address string) error {
	deadline := v.deadline()
	for {
		c, err := (&net.Dialer{Deadline: deadline}).Dial("tcp", address)
		if err == nil {
			v.peers = []peer{newPeer(c)}
			if err := c.SetDeadline(deadline); err != nil {
				return err
			}
			return v.peers[0].out.Encode(greeting{v.place.Rank, v.place.Size})
		}
		if !deadline.IsZero() && time.Now().After(deadline) {
			return fmt.Errorf("rank 0 does not answer at %s: %w", address, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Exchange returns the texts of all ranks, as the type Exchange does.
func (v *Rendezvous) Exchange(mine []byte) (texts [][]byte, err error) {
	for _, p := range v.peers {
		if p.Conn != nil {
			if err := p.SetDeadline(v.deadline()); err != nil {
				return nil, err
			}
		}
	}
	if v.place.Rank > 0 {
		zero := v.peers[0]
		if err = zero.out.Encode(mine); err == nil {
			err = zero.in.Decode(&texts)
		}
		if err == nil && len(texts) != v.place.Size {
			err = fmt.Errorf("%d texts of %d", len(texts), v.place.Size)
		}
		if err = peerError(0, err); err != nil {
			// Rank 0 also closes the connection of a second process with this rank.
			err = fmt.Errorf("%w: or another process is rank %d, or RANK and WORLD_SIZE are not those of one job",
				err, v.place.Rank)
		}
		return texts, err
	}
	texts = make([][]byte, v.place.Size)
	texts[0] = mine
	for r, p := range v.peers[1:] {
		if err := p.in.Decode(&texts[r+1]); err != nil {
			return nil, peerError(r+1, err)
		}
	}
	for r, p := range v.peers[1:] {
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
func (v *Rendezvous) Close() {
	for _, p := range v.peers {
		if p.Conn != nil {
			p.Conn.Close()
		}
	}
}
