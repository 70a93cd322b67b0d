package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// occupied is a device whose memory is taken by another program as soon as the run has been planned.
type occupied struct {
	device.Device
	asked int
}

func (d *occupied) Free() (int64, bool) {
	if d.asked++; d.asked == 1 {
		return 1 << 40, true
	}
	return 1, true
}

// A model that cannot be scored is a model all the same: it is saved, the error says so, and it can be scored later.
func TestEvaluationFails(t *testing.T) {
	c, err := train.Resolve(nil, []train.Setting{{Key: "data", Text: "testdata/houses.csv"}, {Key: "steps", Text: "3"}, {Key: "inducing", Text: "8"}})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := device.Open("cpu:f32")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	job := &train.Job{Config: c, Device: &occupied{Device: dev}}
	if job.Train, job.Test, _, err = c.Load(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "run")
	folder, err := train.NewFolder(out, "houses", "gpdrf")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	p := &program{ctx: context.Background(), out: &said, err: &said}
	if _, _, err = p.runJob(job, folder, &exitGuard{}); err == nil || !strings.Contains(err.Error(), "is trained and saved in "+out+", but its evaluation failed: ") {
		t.Fatalf("%v", err)
	}
	if err := folder.Discard(); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"info " + out: "evaluation failed: ",
		"eval " + out: "RMSE",
		"predict " + out + " --data testdata/houses.csv --out -": "mean,",
		"train --resume " + out:                                  "finished after 3 steps",
	} {
		said.Reset()
		if code := p.run(strings.Fields("gpdrf-gpu " + words)); code != exitOK || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, %s", words, code, said.String())
		}
	}
}
