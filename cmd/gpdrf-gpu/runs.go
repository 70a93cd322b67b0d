package main

import (
	"os"
	"slices"
	"sync"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// openDevice opens a device by name. That it does not open is the fault of the name.
func openDevice(name string) (device.Device, error) {
	dev, err := device.Open(name)
	if err == nil {
		return dev, nil
	}
	if near, ok := suggest.Nearest(name, append(deviceNames(), "auto")); ok {
		return nil, usagef("%w: did you mean %q?", err, near)
	}
	return nil, &train.UsageError{Err: err}
}

// deviceNames are all names that open, with their precisions.
func deviceNames() (names []string) {
	for _, n := range device.Names() {
		for _, precision := range []string{"", ":f32", ":f64"} {
			if dev, err := device.Open(n + precision); err == nil {
				names = append(names, n+precision)
				dev.Close()
			}
		}
	}
	return names
}

// exitGuard lets Ctrl-C end a verb that has nothing to save, but not while it writes.
type exitGuard struct{ writing sync.Mutex }

func (p *program) newExitGuard() *exitGuard {
	g := &exitGuard{}
	go func() {
		<-p.ctx.Done()
		g.writing.Lock()
		os.Exit(exitInterrupted)
	}()
	return g
}

// write runs f to its end before Ctrl-C counts.
func (g *exitGuard) write(f func() error) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	return f()
}

// deviceOf opens the device that --device names, or the one a run was trained on.
func (c *call) deviceOf(trainedOn string) (device.Device, error) {
	if name, ok := c.text("device"); ok {
		return openDevice(name)
	}
	if !slices.Contains(deviceNames(), trainedOn) {
		trainedOn = "auto" // a run from another machine
	}
	return openDevice(trainedOn)
}
