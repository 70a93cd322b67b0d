package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// searchTraining is a search for the best model, or the training of an ensemble.
type searchTraining struct {
	p      *program
	req    *trainRequest
	state  *best.State
	cfg    options.Config // the options as requested; those of the job once it is there
	job    *train.Job     // the rows and the device
	folder *rundir.Folder
	guard  *exitGuard

	jobs    int // number of trials at a time
	devices []device.Device
}

// trainSeveral tries candidates, trains those that the best mixture needs on all rows, and leaves a run folder like any
// other.
func (p *program) trainSeveral(r *trainRequest) (err error) {
	s := &searchTraining{p: p, req: r}
	s.guard = p.newExitGuard(p.ctx, s.leave)
	defer s.guard.stop()
	switch {
	case p.tensorboard:
		err = r.call.errorf("tensorboard", "is for a single model: trials keep no log, so leave it out")
	case r.resume != "":
		err = s.resume(r.resume)
	case r.overwrite:
		err = usererror.OfFlag("overwrite", "is for a single model: give this run a folder of its own")
	default:
		err = s.begin(r.outDir)
	}
	if s.job != nil {
		defer s.job.Device.Close()
	}
	if err != nil {
		return s.guard.endedOr(err)
	}
	for s.devices = []device.Device{s.job.Device}; len(s.devices) < s.jobs; {
		dev, err := device.Open(s.job.Device.Name())
		if err != nil {
			return err
		}
		defer dev.Close()
		device.SetPrecision(dev, device.Precision(s.cfg.Precision))
		s.devices = append(s.devices, dev)
	}
	s.job.Started = r.started.Add(-s.state.Used)
	result, err := s.run()
	if result != nil && !hasEnded(err) {
		if err := p.printRun(result, s.cfg, s.folder.Path()); err != nil {
			return err
		}
	}
	return err
}

func (s *searchTraining) begin(out string) (err error) {
	if err := s.req.call.readConfig(); err != nil {
		return err
	}
	given := options.Merged(s.req.call.fileOptions, s.req.call.runOptions())
	if s.cfg, err = options.Resolve(given, nil); err != nil {
		return err
	}
	if err := rundir.CheckNewDir(out); err != nil {
		return err
	}
	if err = best.CheckOptions(s.cfg); err != nil {
		return err
	}
	if err = s.open(); err != nil {
		return err
	}
	if s.cfg, given, err = best.SettleTargets(s.p.ctx, s.job, given); err != nil {
		return err
	}
	if s.state, err = best.New(s.job.Train, given, s.jobs); err != nil {
		return err
	}
	label := options.Best
	if s.cfg.Ensemble > 1 {
		label = s.cfg.Model + "-" + train.Ensemble
	}
	return s.guard.write(func() (err error) {
		if s.folder, err = rundir.NewFolder(out, s.job.Train.Name, label, false); err != nil {
			return err
		}
		s.p.noteRemoved(s.folder)
		return s.folder.PublishSearch(atomicfile.JSON(s.state))
	})
}

// resume continues a search that was interrupted.
func (s *searchTraining) resume(path string) (err error) {
	if err := s.req.call.noneOfNew(); err != nil {
		return err
	}
	if s.state, err = best.Open(path); err != nil {
		return err
	}
	if s.cfg, err = options.Resolve(s.state.Given, nil); err != nil {
		return err
	}
	settled := func(o options.Setting) bool { return o.From == best.Label(s.cfg) }
	now := s.req.call.runOptions()
	s.p.given = givenKeys(slices.Concat(slices.DeleteFunc(slices.Clone(s.state.Given), settled), now))
	if s.cfg, err = s.cfg.RelativeTo(s.state.Folder).Resume(now, nil); err != nil {
		return err
	}
	if err = s.open(); err != nil {
		return err
	}
	if now := s.job.Train.Fingerprint; now != s.state.Train {
		return usagef("%s: the training rows have changed since the search began (fingerprint %.12s…, "+
			"%.12s… then): put the old ones back, or begin a new search", s.job.Train.Path, now, s.state.Train)
	}
	return s.guard.write(func() (err error) {
		if s.folder, err = rundir.OpenSearch(path); err != nil {
			return err
		}
		s.state, err = best.Open(path) // the state is read again now that the folder is locked
		return err
	})
}

// maxJobs is the default maximum of trials at a time.
const maxJobs = 4

// roomFor returns the number of trials, up to maxJobs, for which there is memory at a time. Each plans with all of the
// free memory, and does not know of the others.
func roomFor(dev device.Device, rows *data.Dataset) int {
	free, known := dev.Free()
	copies := 16 * int64(rows.N()) * int64(rows.D()+1) // bytes of a subset of the rows, here and on the device
	if !known || copies == 0 {
		return maxJobs
	}
	return int(max(1, min(maxJobs, (free-free/memory.SpareOfHost)/copies)))
}

// open reads the rows, and chooses the number of trials at a time: one on a GPU, which one trial keeps busy.
func (s *searchTraining) open() (err error) {
	if s.job, err = s.p.newJob(s.p.ctx, s.req.call, s.cfg); err != nil {
		return err
	}
	s.cfg = s.job.Config
	auto := 1
	if strings.HasPrefix(s.job.Device.Name(), "cpu") {
		auto = min(runtime.GOMAXPROCS(0), roomFor(s.job.Device, s.job.Train))
	}
	s.jobs = s.req.call.count("jobs", 1, maxThreads, auto)
	return s.req.call.err
}

// run searches for the best model, and tests the ensemble that it finds.
func (s *searchTraining) run() (*rundir.Result, error) {
	what := "searching for the best model of %s: %d candidates on %d rows%s, %s, on %s"
	switch {
	case s.cfg.Ensemble > 1:
		what = "training an ensemble on %s: %d models on %d rows%s, %s, on %s"
	case len(s.state.Candidates) == 1:
		what = "training one model of %s, so nothing is compared: %d candidate on %d rows%s, %s, on %s"
	}
	s.p.note(what, s.job.Train.Name, len(s.state.Candidates), s.job.Train.N(), inputsOf(s.job.Train),
		s.job.Train.Task, s.job.Device.Name())
	if len(s.state.Candidates) == 1 && s.state.Limit > 0 {
		s.p.note("a longer --time-limit compares more candidates, unless your options leave only one")
	}
	s.p.note("if this is killed, resume it with: %s", rundir.ResumeCommand(s.folder.Path()))
	bar := s.p.newSearchBar(s.state.Limit, s.job.Started)
	search := &best.Search{
		State: s.state, Devices: s.devices, Rows: s.job.Train, Started: s.job.Started,
		SaveState: func() error {
			bar.trialEnded()
			return s.guard.write(func() error {
				s.p.keepSession(s.folder, s.job.Device.Name()) // the end of the run reports an error
				return s.folder.Write(rundir.SearchFile, atomicfile.JSON(s.state))
			})
		},
		SaveModel: func(k int, t *fitted.Model) error {
			return s.guard.write(func() error { return s.folder.Write(rundir.MemberFile(k), t.WriteModel) })
		},
		LoadModel: func(k int) (*fitted.Model, error) {
			return fitted.ReadModel(filepath.Join(s.folder.Path(), rundir.MemberFile(k)))
		},
		Note: s.p.relay, Phase: bar.show,
	}
	if s.state.Limit > 0 {
		search.Test = s.job.Test
	}
	found, err := search.Run(s.p.ctx)
	bar.end(true)
	if err != nil {
		if s.p.ctx.Err() == nil && s.req.resume == "" && !s.state.HasTrained() {
			err = errors.Join(err, s.guard.write(s.folder.Abandon))
		}
		return nil, s.guard.endedOr(err)
	}
	s.p.relayAll(s.state.Lines())
	return s.save(found)
}

// save saves and tests the ensemble as a run does.
func (s *searchTraining) save(found *fitted.Model) (*rundir.Result, error) {
	out := &train.Outcome{Config: s.cfg, Trained: found, Seconds: s.state.Used.Seconds(), StopReason: train.Finished}
	for _, c := range s.state.Candidates {
		if c.Refit != nil {
			out.Steps += c.Refit.Steps
		}
	}
	for _, m := range found.Members {
		for _, block := range m.Parameters {
			out.Parameters += len(block.Data)
		}
	}
	if s.job.Conformal != nil {
		err := found.FitConformal(s.p.ctx, s.job.Device, s.job.Conformal, s.cfg.Level)
		if s.p.ctx.Err() != nil {
			return nil, s.guard.ended()
		}
		if err != nil { // a resumed search would fail in the same way
			s.p.warn("the model is kept without intervals: %v", err)
		}
	}
	o := &runOutput{p: s.p, job: s.job, folder: s.folder, out: out, limit: s.job.TimeLimit()}
	err := o.save(s.guard)
	if err == nil {
		err = s.guard.write(func() error { return tidySearch(s.folder.Path(), s.state) })
	}
	if ended := s.guard.disarm(); ended != nil {
		return nil, ended
	}
	return o.result, errors.Join(err, o.score())
}

// tidySearch removes the files in a folder that only an unfinished search needs, and marks the search as complete.
func tidySearch(path string, state *best.State) (err error) {
	for k := range state.Candidates {
		gone := os.Remove(filepath.Join(path, rundir.MemberFile(k)))
		if !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	state.MarkComplete()
	return errors.Join(err, atomicfile.WriteFile(filepath.Join(path, rundir.SearchFile), atomicfile.JSON(state)))
}

// leave prints the state after an interrupt.
func (s *searchTraining) leave() error {
	if s.folder == nil || s.folder.Path() == "" {
		return s.p.interrupted(s.p.ctx, " before anything was tried")
	}
	s.p.printLine("interrupted: what was tried so far is kept; to resume: %s", rundir.ResumeCommand(s.folder.Path()))
	return errInterrupted
}

// searchInfo is what `info RUN` prints for a search that has not ended.
type searchInfo struct {
	Path string `json:"path"`
	*best.State
}

// Lines returns the text for people.
func (i searchInfo) Lines() []string {
	return append([]string{
		fmt.Sprintf("%s: %s, begun with gpdrf-gpu %s, %.1f s so far", i.Path, rundir.SearchName(i.Path),
			i.Version, i.Used.Seconds()),
		"to resume  " + rundir.ResumeCommand(i.Path), "",
	}, i.State.Lines()...)
}
