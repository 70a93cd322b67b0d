// This test follows a step through the files of this module.

package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// watchedTrsm is a device that records the files through which its first Trsm is called.
type watchedTrsm struct {
	device.Device
	path []string // the files, from the top of the stack
}

func (d *watchedTrsm) Trsm(a, l, b *device.Tensor) {
	if d.path == nil {
		var stack [64]uintptr
		frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
		for frame, more := frames.Next(); more; frame, more = frames.Next() {
			file, ok := moduleFile(frame)
			if ok && (d.path == nil || d.path[0] != file) {
				d.path = slices.Insert(d.path, 0, file)
			}
		}
	}
	d.Device.Trsm(a, l, b)
}

// moduleFile returns the file of a frame by its path in this module. The compiler may shorten the paths of files, but
// not those of packages.
func moduleFile(frame runtime.Frame) (string, bool) {
	function, ours := strings.CutPrefix(frame.Function, "github.com/gpdrf/gpdrf-gpu/")
	folder, name := path.Split(function)
	room, _, _ := strings.Cut(name, ".")
	file := folder + room + "/" + path.Base(filepath.ToSlash(frame.File))
	return file, ours && !strings.HasSuffix(file, "_test.go")
}

// A step goes down to a device through few files, each entered once, and the document lists them.
func TestPathOfAStep(t *testing.T) {
	job := occupiedJob(t, 1000)
	dev := &watchedTrsm{Device: job.Device}
	job.Device = dev
	folder := must.Get(rundir.NewFolder(filepath.Join(t.TempDir(), "run"), "houses", "gpdrf", false))(t)
	p := &program{ctx: t.Context(), console: console{out: &bytes.Buffer{}, err: &bytes.Buffer{}}}
	m := &modelTraining{p: p, job: job, folder: folder, guard: p.newExitGuard(p.ctx, nil)}
	if _, _, err := m.trainAndScore(); err != nil {
		t.Fatal(err)
	}
	text := must.Get(os.ReadFile("../../docs/architecture.md"))(t)
	listed := regexp.MustCompile(`(?m)^\d+\. `+"`([^`]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	var documented []string
	for _, file := range listed {
		if path := file[1]; !strings.HasPrefix(path, "device/gpu/") && !strings.HasPrefix(path, "cuda/") {
			documented = append(documented, path) // other files are those of a GPU
		}
	}
	if !slices.Equal(dev.path, documented) {
		t.Errorf("a step goes through\n%s\nand docs/architecture.md has\n%s",
			strings.Join(dev.path, "\n"), strings.Join(documented, "\n"))
	}
	if entered := slices.Compact(slices.Sorted(slices.Values(dev.path))); len(entered) < len(dev.path) {
		t.Errorf("a file is entered twice: %v", dev.path)
	}
}
