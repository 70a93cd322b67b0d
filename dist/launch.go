package dist

import (
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// ProcessRank is the position of a process among its ranks, as its launcher sets it.
type ProcessRank struct {
	Launcher  string // "" without one: the process is alone
	Rank      int
	Size      int
	LocalRank int // rank among the processes of this machine
}

// Torchrun is the name of the launcher torchrun, whose processes are no job of MPI.
const Torchrun = "torchrun"

// Srun is the name of Slurm's own launcher.
const Srun = "srun"

// The variables of Slurm that number a process in its step, and on its machine.
const (
	slurmRank  = "SLURM_PROCID"
	slurmLocal = "SLURM_LOCALID"
)

// launchers are the variables of each launcher, the most specific first: mpirun in a Slurm job sets the variables of
// both, and the inner launcher counts.
var launchers = []struct{ name, rank, size, local string }{
	{name: "Open MPI's mpirun", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		local: "OMPI_COMM_WORLD_LOCAL_RANK"},
	// These are the variables of MPICH, Intel MPI and srun --mpi=pmi2.
	{name: "a PMI launcher", rank: "PMI_RANK", size: "PMI_SIZE", local: "MPI_LOCALRANKID"},
	{name: Torchrun, rank: "RANK", size: "WORLD_SIZE", local: "LOCAL_RANK"},
	// A batch script and an interactive shell are one process, and have SLURM_PROCID, too.
	{name: Srun, rank: slurmRank, size: "SLURM_STEP_NUM_TASKS", local: slurmLocal},
}

// Detect finds the place of this process in the environment that getenv reads. If only some of the variables are set,
// the error is a *usererror.Error: each process would train alone.
func Detect(getenv func(string) string) (ProcessRank, error) {
	for _, l := range launchers {
		rank, size, local := getenv(l.rank), getenv(l.size), getenv(l.local)
		if rank == "" && size == "" && local == "" || l.name == Srun && size == "" && (rank == "" || rank == "0") {
			continue
		}
		if local == "" && rank != "" && getenv(slurmRank) == rank { // srun --mpi=pmi2 sets no local rank.
			l.local = slurmLocal
		}
		p := ProcessRank{Launcher: l.name}
		for _, v := range []struct {
			name string
			to   *int
		}{{l.rank, &p.Rank}, {l.size, &p.Size}, {l.local, &p.LocalRank}} {
			text := getenv(v.name)
			if text == "" && v.name == l.local {
				continue
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return ProcessRank{}, usererror.Errorf("%s=%q is not a number, and %s sets it: start all processes "+
					"with one launcher, or unset %s, %s and %s", v.name, text, l.name, l.rank, l.size, l.local)
			}
			*v.to = n
		}
		if p.Rank >= p.Size {
			return ProcessRank{}, usererror.Errorf("%s=%d and %s=%d: there is no such rank: start all processes "+
				"with one launcher, or unset both", l.rank, p.Rank, l.size, p.Size)
		}
		return p, nil
	}
	if rank := getenv(pmix); rank != "" {
		return ProcessRank{}, usererror.Errorf("%s=%s, and no variable says how many processes there are: start them "+
			"with mpirun or srun, or unset %[1]s", pmix, rank)
	}
	return ProcessRank{Size: 1}, nil
}

// pmix is the only variable that a launcher with PMIx alone, such as prun, sets.
const pmix = "PMIX_RANK"
