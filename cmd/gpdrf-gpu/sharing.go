package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/nccl"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The processes of a launcher share the steps of a training, or the rows of a prediction.

// connectRanks lets the ranks agree on their task, and joins them: by NCCL between GPUs if it is there, and otherwise
// by MPI. rankErr is an error of this rank.
func (p *program) connectRanks(what string, dev device.Device, properties []dist.Property, rankErr error) error {
	r := p.ranks
	_, gpu := dev.(device.Queue)
	engine, absent := nccl.Find()
	if !gpu {
		absent = fmt.Errorf("%s is not a GPU", dev.Name())
	}
	if absent != nil {
		engine = "MPI"
		if !r.mpi && rankErr == nil {
			rankErr = usagef("%d processes of torchrun share a %s by NCCL alone, which joins GPUs: %w; or start "+
				"them with mpirun", r.Size(), what, absent)
		}
	}
	properties = append([]dist.Property{{Name: "version", Value: version.Number}, {Name: "device", Value: kindOf(dev)},
		{Name: "engine", Value: engine}}, properties...)
	for _, name := range []string{"GPDRF_CUDA_GRAPH", "GPDRF_CUDA_IMAGE"} { // the bits of a result depend on these
		properties = append(properties, dist.Property{Name: name, Value: cmp.Or(os.Getenv(name), "unset")})
	}
	if err := p.agree(properties, rankErr); err != nil {
		return err
	}
	if absent == nil {
		if err := r.openNCCL(dev); err != nil {
			return err
		}
	} else if gpu {
		p.warn("sums over processes go through the memory of the host: %v", absent)
	}
	p.note("%d ranks share the %s, by %s", r.Size(), what, r.Comm)
	return nil
}

// sharePrediction joins the ranks of a prediction, and returns them.
func (p *program) sharePrediction(dev device.Device, properties ...dist.Property) (dist.Comm, error) {
	if !p.joined() {
		return nil, nil
	}
	err := p.connectRanks("prediction", dev, properties, nil)
	return p.ranks.Comm, err
}

// ranksComm returns the ranks that share predictions; nil if this process is alone.
func (p *program) ranksComm() dist.Comm {
	if !p.joined() {
		return nil
	}
	return p.ranks.Comm
}

// sharesTest reports whether the ranks of a training share its test. A test that may be cut short is done by rank 0
// alone.
func (p *program) sharesTest(job *train.Job, out *train.Outcome) bool {
	return p.joined() && job.Test != nil && job.Config.TimeLimit == 0 &&
		(out.StopReason == train.Finished || out.StopReason == train.EarlyStop)
}

// openNCCL replaces the engine by NCCL.
func (r *ranks) openNCCL(dev device.Device) error {
	job := nccl.Job{Rank: r.Rank(), Size: r.Size(), Exchange: r.exchange, Limit: r.limit, Lost: r.exitLost}
	if r.mpi {
		job.Over = r.Comm
	}
	comm, err := nccl.Open(dev, job)
	if err != nil {
		return err
	}
	r.Comm = comm
	return nil
}

// propertiesOf returns the properties that the ranks of a training must share.
func propertiesOf(job *train.Job) (properties []dist.Property) {
	for _, o := range job.Config.Options() {
		if o.Key != "device" && o.Key != "data-dir" && o.Key != "checkpoint-every" {
			properties = append(properties, dist.Property{Name: "option " + o.Key, Value: o.Text()})
		}
	}
	step := 0
	if job.Checkpoint != nil {
		step = job.Checkpoint.Step
	}
	properties = append(properties, dist.Property{Name: "first step", Value: strconv.Itoa(step + 1)})
	rows := func(name string, ds *data.Dataset) {
		text := "none"
		if ds != nil {
			text = fmt.Sprintf("%d rows with fingerprint %.12s…", ds.N(), ds.Fingerprint)
		}
		properties = append(properties, dist.Property{Name: name, Value: text})
	}
	rows("training set", job.Train)
	rows("validation set", job.Validation)
	rows("rows of intervals", job.Conformal)
	rows("test set", job.Test)
	return properties
}

// kindOf returns the kind of a device, which decides its rounding.
func kindOf(dev device.Device) string {
	kind := options.DeviceKind(dev.Name())
	if strings.HasPrefix(kind, "cpu:") {
		kind += " with " + simd.Tier()
	}
	return kind
}
