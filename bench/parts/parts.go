// Package parts shares the cells of a suite between processes that know nothing of each other. Part gives each process
// its cells, and Claim keeps a cell from being run twice.
package parts

import (
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Part is one of Count shares of a list of cells, from 0. The zero Part is all of them.
type Part struct{ Index, Count int }

// Auto asks for the part that a job array names.
const Auto = "auto"

// Parse reads a part as a user writes it: "3/8", or Auto for the part of a Slurm array, from the variables that getenv
// gives.
func Parse(text string, getenv func(string) string) (Part, error) {
	if text == Auto {
		return slurmPart(getenv)
	}
	index, count, ok := strings.Cut(text, "/")
	i, wrong := strconv.Atoi(index)
	n, bad := strconv.Atoi(count)
	if !ok || wrong != nil || bad != nil || i < 0 || i >= n {
		return Part{}, usererror.Errorf("%q must be i/n with i from 0 to n−1, such as 0/4, or %s",
			text, Auto)
	}
	return Part{i, n}, nil
}

// slurmPart returns the part of this task of a Slurm array. Its numbers may start anywhere and have a step.
func slurmPart(getenv func(string) string) (Part, error) {
	const id, least, most, count = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
		"SLURM_ARRAY_TASK_COUNT"
	if getenv(id) == "" {
		if getenv("JOB_COMPLETION_INDEX") != "" {
			return Part{}, usererror.Errorf("auto: Kubernetes does not say how many parts there are: " +
				"give part=$(JOB_COMPLETION_INDEX)/N, with the job's completions for N")
		}
		return Part{}, usererror.Errorf("auto: %s is not set: start this in a Slurm array "+
			"(sbatch --array=0-7), or give part i/n", id)
	}
	number := map[string]int{}
	for _, name := range []string{id, least, most, count} {
		n, err := strconv.Atoi(getenv(name))
		if err != nil {
			return Part{}, usererror.Errorf("auto: %s=%q is not a number: give part i/n",
				name, getenv(name))
		}
		number[name] = n
	}
	n, from, to := number[count], number[least], number[most]
	step := 1
	if n > 1 {
		step = max(1, (to-from)/(n-1))
	}
	i := (number[id] - from) / step
	if from+i*step != number[id] || from+(n-1)*step != to || i < 0 || i >= n {
		return Part{}, usererror.Errorf("auto: task %d of an array of %d from %d to %d has no place in "+
			"even steps: give part i/n", number[id], n, from, to)
	}
	return Part{i, n}, nil
}

// Has reports whether a cell, counted from 0, belongs to this part. Neighbours belong to different parts, so that each
// part has some quick and some slow cells.
func (p Part) Has(cell int) bool { return p.Count <= 1 || cell%p.Count == p.Index }
