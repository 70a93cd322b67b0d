package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/mpi"
	"github.com/gpdrf/gpdrf-gpu/dist/nccl"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// openDevice opens a device by name. An error is a usage error. The name auto always finds a device; a note gives the
// reason if it is not the first GPU of a machine that may have one.
func (p *program) openDevice(name string) (device.Device, error) {
	name = p.deviceOfRank(name)
	if name == "auto" || name == "" {
		dev, why, err := device.OpenAuto(p.noteOnce)
		if why != "" && err == nil && mayHaveGPU() {
			where, _ := strings.CutSuffix(dev.Name(), device.Suffixes[0])
			if where == "cpu" {
				where = "the CPU"
			}
			p.note("running on %s (%s)", where, why)
		}
		if err != nil {
			err = &usererror.Error{Err: err}
		}
		return dev, err
	}
	dev, err := device.OpenLogged(name, p.noteOnce)
	if err == nil {
		return dev, nil
	}
	known := errors.As(err, new(*device.AbsentError)) || errors.As(err, new(*device.SettingError))
	if near, ok := didyoumean.Nearest(name, append(deviceNames(), "auto")); ok && !known {
		return nil, usagef("%w: did you mean %q?", err, near)
	}
	return nil, &usererror.Error{Err: err}
}

// mayHaveGPU reports whether an NVIDIA driver is there, in Linux, its WSL or Windows, or is named.
func mayHaveGPU() bool {
	if named := os.Getenv("GPDRF_CUDA_DRIVER"); named != "" {
		return named != "none"
	}
	return slices.ContainsFunc([]string{"/proc/driver/nvidia", "/dev/dxg",
		filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "nvcuda.dll")}, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// openFor opens the device of a run. If it is absent and comes from a config file, the error says what to do.
func (p *program) openFor(c *call, name string) (device.Device, error) {
	dev, err := p.openDevice(name)
	_, file := c.text("config")
	if _, given := c.text("device"); err != nil && file && !given && errors.As(err, new(*device.AbsentError)) {
		return nil, usagef("%w: the config file asks for it; --device auto takes what this machine has", err)
	}
	return dev, err
}

// noteOnce prints a note of a device, unless it was printed before.
func (p *program) noteOnce(line string) {
	if !slices.Contains(p.deviceNotes, line) {
		p.deviceNotes = append(p.deviceNotes, line)
		p.note("%s", line)
	}
}

// setPrecision permits a device to compute at a precision, and returns the precision that it takes. A note tells if it
// is another one.
func (p *program) setPrecision(dev device.Device, requested string) string {
	actual := device.SetPrecision(dev, device.Precision(requested))
	if string(actual) != requested {
		p.note("precision %s: %s computes at %s: tensor cores are on GPUs from compute capability 8.0 on, and for :f32",
			requested, dev.Name(), actual)
	}
	return string(actual)
}

// withDevice returns the Config of a run with this device, and the precision at which it computes.
func (p *program) withDevice(dev device.Device, cfg options.Config) options.Config {
	cfg.Device, cfg.Precision = dev.Name(), p.setPrecision(dev, cfg.Precision)
	return cfg
}

// precision returns the value of --precision; the default is def.
func (c *call) precision(def string) (string, error) {
	if value, ok := c.text("precision"); ok {
		return value, options.Check(options.Setting{Key: "precision", Text: value, From: "--precision"})
	}
	return def, nil
}

// deviceOf opens the device of --device, or the device of a training, at the precision of --precision, or the precision
// of the training. It returns the precision at which the device computes.
func (p *program) deviceOf(c *call, trainedDevice, trainedPrecision string) (device.Device, string, error) {
	precision, err := c.precision(trainedPrecision)
	if err != nil {
		return nil, "", err
	}
	name, given := c.text("device")
	if !given {
		name = p.anyGPU(trainedDevice)
	}
	foreign := !given && !slices.Contains(deviceNames(), trainedDevice) // the run is from another machine
	if foreign {
		name = "auto"
	}
	dev, err := p.openDevice(name)
	if err != nil {
		return nil, "", err
	}
	// The numbers of the run are doubles, and auto opens a device of singles.
	if double := device.Suffixes[1]; foreign && strings.HasSuffix(trainedDevice, double) {
		name = strings.TrimSuffix(dev.Name(), device.Suffixes[0]) + double
		if err := dev.Close(); err != nil {
			return nil, "", err
		}
		if dev, err = p.openDevice(name); err != nil {
			return nil, "", err
		}
	}
	return dev, p.setPrecision(dev, precision), nil
}

// deviceNames lists the devices of this machine, without and with suffixes.
func deviceNames() (names []string) {
	devices, _ := device.List()
	for _, m := range devices {
		names = append(names, m.Name)
		for _, suffix := range device.Suffixes {
			names = append(names, m.Name+suffix)
		}
	}
	return names
}

// devicesInfo is what `info` prints about devices.
type devicesInfo struct {
	Devices []device.Info `json:"devices"`
	// The libraries that join processes.
	MPI  string `json:"mpi,omitempty"`
	NCCL string `json:"nccl,omitempty"`
	// Missing has the reason for each kind of device and each library that is not there.
	Missing map[string]string `json:"missing,omitempty"`
}

// aboutDevices opens each device, to find out whether it can be used, and with which kernels.
func (p *program) aboutDevices() devicesInfo {
	devices, reasons := device.List()
	for i := range devices {
		dev, err := device.OpenLogged(devices[i].Name, p.noteOnce)
		if absent, ok := errors.AsType[*device.AbsentError](err); ok {
			err = absent.Err // the name of the device is left out
		}
		if err != nil {
			devices[i].About += ", which cannot be used: " + err.Error()
			continue
		}
		devices[i].About = dev.About()
		dev.Close()
	}
	i := devicesInfo{Devices: devices, Missing: map[string]string{}}
	for name, err := range reasons {
		i.Missing[name] = err.Error()
	}
	var err error
	if i.MPI, err = mpi.Find(dist.ProcessRank{}); err != nil {
		i.Missing["mpi"] = err.Error()
	}
	if i.NCCL, err = nccl.Find(); err != nil {
		i.Missing["nccl"] = err.Error()
	}
	return i
}

// lines returns the text for people.
func (i devicesInfo) lines() (lines []string) {
	for _, m := range i.Devices {
		lines = append(lines, fmt.Sprintf("device    %s (%s%s): %s", m.Name, m.Name,
			strings.Join(device.Suffixes[:], ", "+m.Name), m.About))
	}
	if i.MPI != "" {
		lines = append(lines, "mpi       "+i.MPI)
	}
	if i.NCCL != "" {
		lines = append(lines, "nccl      "+i.NCCL)
	}
	for _, name := range slices.Sorted(maps.Keys(i.Missing)) {
		if name == "nccl" && i.Missing["cuda"] != "" { // it joins GPUs
			continue
		}
		reason := i.Missing[name]
		if what, why, ok := strings.Cut(reason, ": "); ok && strings.HasPrefix(strings.ToLower(what), "no "+name) {
			reason = why
		}
		lines = append(lines, fmt.Sprintf("no %-6s %s", name, reason))
	}
	return lines
}
