package dist_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/disttest"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// ranks runs f on each rank of a group.
func ranks(t *testing.T, size int, f func(dist.Comm) error) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range dist.Group(size) {
		all.Go(func() {
			if err := f(c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestConformance(t *testing.T) {
	if err := disttest.Check(dist.Alone()); err != nil {
		t.Error(err)
	}
	for _, size := range []int{1, 2, 3, 4, 8} {
		ranks(t, size, disttest.Check)
	}
}

// Abort of a rank ends the waiting of the others.
func TestAbort(t *testing.T) {
	ranks(t, 3, func(c dist.Comm) error {
		if c.Rank() == 1 {
			c.Abort(1)
			return nil
		}
		if err := c.AllReduce([]float64{1}); !errors.Is(err, dist.ErrAborted) {
			return errors.New("a sum without a rank ended otherwise")
		}
		return nil
	})
}

// The other ranks notice a rank that hangs.
func TestHangingRank(t *testing.T) {
	noticed := make(chan string, 1)
	ranks(t, 2, func(c dist.Comm) error {
		if c.Rank() == 1 { // the rank hangs until the limit
			if call := <-noticed; call != "barrier" {
				t.Errorf("late was %s", call)
			}
			return c.Barrier()
		}
		return dist.WithTimeout(c, 20*time.Millisecond, func(call string) { noticed <- call }).Barrier()
	})
}

func TestDetect(t *testing.T) {
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for _, p := range pairs {
			name, value, _ := strings.Cut(p, "=")
			m[name] = value
		}
		return m
	}
	for _, c := range []struct {
		env   map[string]string
		want  dist.ProcessRank
		error string
	}{
		{nil, dist.ProcessRank{Size: 1}, ""},
		{env("OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1"),
			dist.ProcessRank{Launcher: "Open MPI's mpirun", Rank: 3, Size: 8, LocalRank: 1}, ""},
		{env("OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1"),
			dist.ProcessRank{Launcher: "Open MPI's mpirun", Size: 2}, ""},
		{env("PMI_RANK=1", "PMI_SIZE=2", "MPI_LOCALRANKID=1"),
			dist.ProcessRank{Launcher: "a PMI launcher", Rank: 1, Size: 2, LocalRank: 1}, ""},
		// srun --mpi=pmi2
		{env("PMI_RANK=5", "PMI_SIZE=8", "SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "SLURM_LOCALID=3"),
			dist.ProcessRank{Launcher: "a PMI launcher", Rank: 5, Size: 8, LocalRank: 3}, ""},
		// MPICH's mpiexec in a job of Slurm: processes of Slurm start the processes of each machine
		{env("PMI_RANK=5", "PMI_SIZE=8", "MPI_LOCALRANKID=2", "SLURM_PROCID=1", "SLURM_LOCALID=0"),
			dist.ProcessRank{Launcher: "a PMI launcher", Rank: 5, Size: 8, LocalRank: 2}, ""},
		{env("RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1"),
			dist.ProcessRank{Launcher: "torchrun", Rank: 1, Size: 2, LocalRank: 1}, ""},
		{env("SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=16", "SLURM_LOCALID=5"),
			dist.ProcessRank{Launcher: "srun", Rank: 5, Size: 16, LocalRank: 5}, ""},
		{env("SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "PMIX_RANK=1"),
			dist.ProcessRank{Launcher: "srun", Rank: 1, Size: 2}, ""},
		// a batch script
		{env("SLURM_PROCID=0", "SLURM_NTASKS=16", "SLURM_LOCALID=0"), dist.ProcessRank{Size: 1}, ""},
		// addresses of another program
		{env("MASTER_ADDR=node1", "MASTER_PORT=29500"), dist.ProcessRank{Size: 1}, ""},
		{env("SLURM_PROCID=3", "SLURM_LOCALID=3"), dist.ProcessRank{}, `SLURM_STEP_NUM_TASKS="" is not a number`},
		{env("SLURM_STEP_NUM_TASKS=2"), dist.ProcessRank{}, `SLURM_PROCID="" is not a number`},
		{env("LOCAL_RANK=1"), dist.ProcessRank{}, `RANK="" is not a number`},
		{env("WORLD_SIZE=2"), dist.ProcessRank{}, `RANK="" is not a number`},
		{env("RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=x"), dist.ProcessRank{}, `LOCAL_RANK="x" is not a number`},
		{env("MPI_LOCALRANKID=0"), dist.ProcessRank{}, `PMI_RANK="" is not a number`},
		{env("PMI_RANK=0"), dist.ProcessRank{}, `PMI_SIZE="" is not a number`},
		{env("PMIX_RANK=1"), dist.ProcessRank{}, "PMIX_RANK=1, and no variable says how many processes there are"},
		{env("RANK=1"), dist.ProcessRank{}, `WORLD_SIZE="" is not a number`},
		{env("OMPI_COMM_WORLD_SIZE=2"), dist.ProcessRank{}, `OMPI_COMM_WORLD_RANK="" is not a number`},
		{env("PMI_RANK=x", "PMI_SIZE=2"), dist.ProcessRank{}, `PMI_RANK="x" is not a number`},
		{env("PMI_RANK=-1", "PMI_SIZE=2"), dist.ProcessRank{}, `PMI_RANK="-1" is not a number`},
		{env("RANK=2", "WORLD_SIZE=2"), dist.ProcessRank{}, "there is no such rank"},
		{env("RANK=0", "WORLD_SIZE=0"), dist.ProcessRank{}, "there is no such rank"},
	} {
		got, err := dist.Detect(func(name string) string { return c.env[name] })
		if c.error != "" {
			if err == nil || !strings.Contains(err.Error(), c.error) || !errors.As(err, new(*usererror.Error)) {
				t.Errorf("%v: %v", c.env, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%v: %+v, %v", c.env, got, err)
		}
	}
}

// Shares cover all items once, and differ by one at most.
func TestShare(t *testing.T) {
	for n := range 40 {
		for size := 1; size < 9; size++ {
			end := 0
			for r := range size {
				lo, hi := dist.Share(n, r, size)
				if lo != end || hi-lo < n/size || hi-lo > (n+size-1)/size {
					t.Errorf("rank %d of %d has %d … %d of %d", r, size, lo, hi, n)
				}
				end = hi
			}
			if end != n {
				t.Errorf("%d ranks have %d of %d", size, end, n)
			}
		}
	}
}
