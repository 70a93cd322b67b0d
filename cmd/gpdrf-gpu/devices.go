package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// openDevice opens a device by name. That it does not open is the fault of the name; auto always
// finds one, and says why it is not a GPU.
func (p *program) openDevice(name string) (device.Device, error) {
	if name == "auto" || name == "" {
		dev, why, err := device.OpenAuto()
		if why != "" {
			p.note("no GPU is used: %s", why)
		}
		return dev, err
	}
	dev, err := device.Open(name)
	if err == nil {
		return dev, nil
	}
	var absent *device.AbsentError
	if near, ok := suggest.Nearest(name, append(deviceNames(), "auto")); ok && !errors.As(err, &absent) {
		return nil, usagef("%w: did you mean %q?", err, near)
	}
	return nil, &train.UsageError{Err: err}
}

// deviceOf opens the device that --device names, or the one a run was trained on.
func (c *call) deviceOf(p *program, trainedOn string) (device.Device, error) {
	if name, ok := c.text("device"); ok {
		return p.openDevice(name)
	}
	if !slices.Contains(deviceNames(), trainedOn) {
		trainedOn = "auto" // a run from another machine
	}
	return p.openDevice(trainedOn)
}

// deviceNames are all names that open, with their precisions.
func deviceNames() (names []string) {
	machines, _ := device.Machines()
	for _, m := range machines {
		names = append(names, m.Name)
		for _, precision := range device.Precisions {
			names = append(names, m.Name+precision)
		}
	}
	return names
}

// devicesInfo is what `info` says of devices.
type devicesInfo struct {
	Devices []device.Machine  `json:"devices"`
	Missing map[string]string `json:"missing,omitempty"` // why a kind of device is not there
}

func aboutDevices() devicesInfo {
	machines, reasons := device.Machines()
	i := devicesInfo{Devices: machines, Missing: map[string]string{}}
	for name, err := range reasons {
		i.Missing[name] = err.Error()
	}
	return i
}

// lines is the text for people.
func (i devicesInfo) lines() (lines []string) {
	for _, m := range i.Devices {
		lines = append(lines, fmt.Sprintf("device    %s (%s%s): %s", m.Name, m.Name, strings.Join(device.Precisions[:], ", "+m.Name), m.About))
	}
	for _, name := range slices.Sorted(maps.Keys(i.Missing)) {
		lines = append(lines, fmt.Sprintf("no %-6s %s", name, i.Missing[name]))
	}
	return lines
}
