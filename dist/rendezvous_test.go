package dist_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/disttest"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// meet runs f on each of the ranks in come, in a rendezvous of size ranks.
func meet(t *testing.T, size int, come []int, limit time.Duration, f func(*dist.Rendezvous, int) error) []error {
	t.Helper()
	address := net.JoinHostPort("127.0.0.1", disttest.FreePort(t))
	errs := make([]error, size)
	var all sync.WaitGroup
	for _, r := range come {
		all.Go(func() {
			m, err := dist.NewRendezvous(dist.ProcessRank{Rank: r, Size: size}, address, limit)
			if err == nil {
				err = f(m, r)
				m.Close()
			}
			errs[r] = err
		})
	}
	if come[0] == 0 { // a caller that is no rank calls, too
		all.Go(func() {
			for range 100 {
				if c, err := net.Dial("tcp", address); err == nil {
					fmt.Fprint(c, "GET / HTTP/1.1\r\n\r\n")
					c.Close()
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	all.Wait()
	return errs
}

// Each rank gets the texts of all, twice. All ranks agree, or have the same error.
func TestRendezvous(t *testing.T) {
	errs := meet(t, 3, []int{0, 1, 2}, time.Minute, func(m *dist.Rendezvous, rank int) error {
		for round := range 2 {
			texts, err := m.Exchange(fmt.Appendf(nil, "%d of rank %d", round, rank))
			if err != nil {
				return err
			}
			for r, text := range texts {
				if want := fmt.Sprintf("%d of rank %d", round, r); string(text) != want {
					return fmt.Errorf("%q, expected %q", text, want)
				}
			}
		}
		err := dist.Agree(m.Exchange, []dist.Property{{Name: "data", Value: fmt.Sprint(rank / 2)}}, "", 0)
		var found *dist.RankError
		if !errors.As(err, &found) || found.Rank != 2 || found.Code != 2 {
			return fmt.Errorf("other data of rank 2: %v", err)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// A rank that waits in vain for another rank names it in its error.
func TestRendezvousWithoutAll(t *testing.T) {
	nothing := func(*dist.Rendezvous, int) error { return nil }
	errs := meet(t, 4, []int{0, 2}, time.Second, nothing)
	// Under load rank 2 may be late, too.
	must.Contain(t, fmt.Sprint(errs[0]), "ranks 1, ", "3 have not come to 127.0.0.1:")
	errs = meet(t, 2, []int{1}, 200*time.Millisecond, nothing)
	must.Contain(t, fmt.Sprint(errs[1]), "rank 0 does not answer at 127.0.0.1:")
	errs = meet(t, 2, []int{0, 1}, time.Minute, func(m *dist.Rendezvous, rank int) error {
		if rank == 1 {
			return nil // the rank leaves
		}
		_, err := m.Exchange(nil)
		return err
	})
	must.Contain(t, fmt.Sprint(errs[0]), "rank 1 hangs, or has ended")
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ host, port, store, want string }{
		{host: "node1", port: "29500", want: "node1:29500"},
		{host: "::1", port: "29500", store: "True", want: "[::1]:29501"}, // torchrun itself listens at the port
		{host: "", port: "29500"},
		{host: "node1", port: ""},
		{host: "node1", port: "65535"},
	} {
		env := map[string]string{"MASTER_ADDR": c.host, "MASTER_PORT": c.port, "TORCHELASTIC_USE_AGENT_STORE": c.store}
		got, err := dist.Address(func(name string) string { return env[name] })
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.As(err, new(*usererror.Error)) {
			t.Errorf("%v: %q, %v", env, got, err)
		}
	}
}

// The error of a second process with the same rank names this as a possible reason.
func TestRendezvousTwice(t *testing.T) {
	address := net.JoinHostPort("127.0.0.1", disttest.FreePort(t))
	go dist.NewRendezvous(dist.ProcessRank{Rank: 0, Size: 3}, address, 5*time.Second)
	var last *dist.Rendezvous
	for range 2 {
		m := must.Get(dist.NewRendezvous(dist.ProcessRank{Rank: 1, Size: 3}, address, 5*time.Second))(t)
		defer m.Close()
		last = m
	}
	if _, err := last.Exchange(nil); err == nil || !strings.Contains(err.Error(), "or another process is rank 1") {
		t.Error(err)
	}
}

// The text of a rank may be long, such as the names of many columns.
func TestRendezvousLong(t *testing.T) {
	long := strings.Repeat("c", 3<<20)
	errs := meet(t, 2, []int{0, 1}, time.Minute, func(m *dist.Rendezvous, _ int) error {
		return dist.Agree(m.Exchange, []dist.Property{{Name: "option ignore", Value: long}}, "", 0)
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
