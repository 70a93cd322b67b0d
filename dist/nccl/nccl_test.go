//go:build cuda && cgo

package nccl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/disttest"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The tests start this program once for each rank, as torchrun does.
func TestMain(m *testing.M) { disttest.Main(m, rank) }

// rank runs one process of a job.
func rank(mode string) (err error) {
	if mode == "find" {
		found, err := Find()
		fmt.Println(found)
		if err == nil {
			_, err = newID()
		}
		return err
	}
	place, err := dist.Detect(os.Getenv)
	if err != nil {
		return err
	}
	address, err := dist.Address(os.Getenv)
	if err != nil {
		return err
	}
	rendezvous, err := dist.NewRendezvous(place, address, 4*time.Minute)
	if err != nil {
		return err
	}
	defer rendezvous.Close()
	gpus := 1
	fmt.Sscan(os.Getenv("EMU_DEVICES"), &gpus)
	dev, err := device.Open(fmt.Sprintf("cuda:%d:f32", place.LocalRank%gpus))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	limit := 4 * time.Minute
	if mode == "hang" || mode == "start" {
		limit = 2 * time.Second
	}
	c, err := Open(dev, Job{Rank: place.Rank, Size: place.Size, Exchange: rendezvous.Exchange, Limit: limit,
		Lost: func(call string, err error) {
			fmt.Fprintf(os.Stderr, "rank %d: lost: %s: %v\n", place.Rank, call, err)
			os.Exit(9)
		}})
	if err != nil {
		return err
	}
	if err = steps(c.(*Comm), dev); err == nil {
		err = disttest.Check(c)
	}
	if err == nil {
		fmt.Printf("rank %d of %d: done with %s\n", c.Rank(), c.Size(), c)
	}
	return err
}

// steps adds up tensors in a loop, which the device records. After n steps each number is sizeⁿ⁻¹ times the sum of what
// the ranks began with.
func steps(c *Comm, dev device.Device) (err error) {
	defer device.RecoverFault(&err)
	const n = 100_003 // more than the fake's window
	single, double := dev.New(device.Real, n), dev.New(device.Double, 7)
	x, y := make([]float64, n), make([]float64, 7)
	for i := range x {
		x[i] = float64(i%5 + c.Rank())
	}
	y[3] = 1e-9
	dev.Upload(single, x)
	dev.Upload(double, y)
	counted, want := 0, 1.0
	loop := device.NewLoop(dev, func(device.LiveScalars) {
		counted++
		c.Sum(single, double)
	})
	for step := range 6 {
		loop(device.StepScalars{Step: uint32(step + 1)})
		if step > 0 {
			want *= float64(c.Size())
		}
	}
	c.Wait(func() {
		dev.Download(x, single)
		dev.Download(y, double)
	})
	for i, got := range x {
		first := float64(i%5*c.Size() + c.Size()*(c.Size()-1)/2)
		if got != first*want {
			return fmt.Errorf("number %d is %v after six steps, expected %v", i, got, first*want)
		}
	}
	if want *= float64(c.Size()) * 1e-9; y[3] != want || y[0] != 0 {
		return fmt.Errorf("doubles are %v after six steps, expected %v", y, want)
	}
	if counted != 3 { // once by itself, once to compare, once to record
		return fmt.Errorf("the work was done %d times: it is not recorded", counted)
	}
	return nil
}

// fake compiles the stand-in for NCCL, which only the driver test double can use.
func fake(t *testing.T) string {
	t.Helper()
	if !onDouble() {
		t.Skip("the fake NCCL needs the driver test double: make test-cuda-script")
	}
	library := filepath.Join(t.TempDir(), "libnccl.so.2")
	c := exec.Command("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", library,
		"testdata/fakenccl.c", "-ldl", "-lrt")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return library
}

// onDouble reports whether the driver is the double.
func onDouble() bool {
	devices, _ := device.List()
	return len(devices) > 0 && strings.Contains(devices[0].About, "driver test double")
}

// run starts ranks in a mode, with more variables, and gives what each has said, and its exit code.
func run(t *testing.T, size int, mode string, env ...string) (said []string, codes []int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	port := disttest.FreePort(t)
	jobs, texts := make([]*exec.Cmd, size), make([]bytes.Buffer, size)
	for r := range jobs {
		c := exec.CommandContext(ctx, os.Args[0])
		c.Env = append(os.Environ(), disttest.Mode+"="+mode, fmt.Sprint("RANK=", r), fmt.Sprint("WORLD_SIZE=", size),
			fmt.Sprint("LOCAL_RANK=", r), "MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port, "GOMAXPROCS=2")
		c.Env = append(c.Env, env...)
		c.Stdout, c.Stderr = &texts[r], &texts[r]
		if jobs[r] = c; c.Start() != nil {
			t.Fatal("a rank does not start")
		}
	}
	ended := make(chan int, size)
	for r, c := range jobs { // a rank that has ended must be seen to have
		go func() {
			c.Wait()
			ended <- r
		}()
	}
	for range jobs {
		<-ended
	}
	for r, c := range jobs {
		said, codes = append(said, texts[r].String()), append(codes, c.ProcessState.ExitCode())
	}
	if ctx.Err() != nil {
		t.Fatalf("%d ranks, %s: it hangs: %q", size, mode, said)
	}
	return said, codes
}

// Every call of a Comm, and sums in the record of a loop, on the fake NCCL.
func TestConformance(t *testing.T) {
	library := fake(t)
	for _, size := range []int{1, 2, 3, 4} {
		said, codes := run(t, size, "check", LibraryVariable+"="+library, fmt.Sprint("EMU_DEVICES=", size))
		for r := range said {
			if want := fmt.Sprintf("rank %d of %d: done with NCCL 2.27.3 (", r, size); codes[r] != 0 ||
				!strings.Contains(said[r], want) {
				t.Errorf("rank %d of %d: exit code %d: %s", r, size, codes[r], said[r])
			}
		}
	}
}

// The same with the NCCL of this machine, on its GPU: one rank, since no two can have one GPU.
func TestOneRank(t *testing.T) {
	if onDouble() {
		t.Skip("this is the driver test double, which NCCL cannot use")
	}
	said, codes := run(t, 1, "find")
	if codes[0] != 0 {
		must.OrSkip(t, errors.New(said[0]), "REQUIRE_NCCL")
	}
	said, codes = run(t, 1, "check")
	if codes[0] != 0 || !strings.Contains(said[0], "rank 0 of 1: done with NCCL ") {
		t.Errorf("exit code %d: %s", codes[0], said[0])
	}
	t.Log(said[0])
}

// Whatever becomes of rank 1, rank 0 ends with the reason.
func TestFaults(t *testing.T) {
	library := fake(t)
	for _, c := range []struct{ mode, fault, want string }{
		{"die", "die 1 4", "rank 0: lost: sum: NCCL: remote process exited"},
		{"hang", "hang 1 4", "rank 0: lost: sum: <nil>"},
		{"start", "start 1 0", "rank 0: lost: start: <nil>"},
		{"error", "error 0 3", "adding up over GPUs: ncclAllReduce: unhandled system error"},
		// a library that does not wait for the stream adds up what is not there yet
		{"early", "early", "after six steps, expected"},
	} {
		said, codes := run(t, 2, c.mode, LibraryVariable+"="+library, "EMU_DEVICES=2", "FAKE_NCCL="+c.fault)
		if codes[0] <= 0 || !strings.Contains(said[0], c.want) {
			t.Errorf("%s: exit code %d, expected %q: %s", c.mode, codes[0], c.want, said[0])
		}
		if codes[1] == 0 {
			t.Errorf("%s: rank 1 has exit code 0: %s", c.mode, said[1])
		}
	}
}

// A job that cannot begin is refused on all ranks, with a remedy.
func TestRefused(t *testing.T) {
	library := fake(t)
	said, codes := run(t, 2, "check", LibraryVariable+"="+library, "EMU_DEVICES=1")
	for r := range said {
		if codes[r] != 2 ||
			!strings.Contains(said[r], "ranks 0 and 1 have the same GPU, and NCCL joins GPUs: start ") {
			t.Errorf("one GPU, rank %d: exit code %d: %s", r, codes[r], said[r])
		}
	}
	for _, c := range []struct{ library, want string }{
		{"none", "no NCCL: GPDRF_NCCL=none"},
		{"/nowhere/libnccl.so.2", "cannot open shared object file: No such file or directory: install the package"},
		{os.Getenv("GPDRF_CUDA_DRIVER"), "lacks ncclGetVersion"},
		{library, "has version 2.8.4, and 2.9 is needed"},
	} {
		said, codes := run(t, 1, "find", LibraryVariable+"="+c.library, "FAKE_NCCL_VERSION=2804")
		if codes[0] != 1 || !strings.Contains(said[0], c.want) {
			t.Errorf("%s: exit code %d, expected %q: %s", c.library, codes[0], c.want, said[0])
		}
	}
}
