package device

import (
	"fmt"
	"sort"
	"strings"
)

// Backend is what a backend registers under its name.
type Backend struct {
	// Open opens a device by what follows the backend's name: for "cpu:f32" it gets "f32".
	Open func(options string) (Device, error)
	// Machines lists what can be opened, without opening it, or says why there is nothing.
	Machines func() ([]Machine, error)
}

// Machine is something that a backend can open.
type Machine struct {
	Name  string `json:"name"`  // "cpu", "cuda:0"; ":f32" or ":f64" may follow
	About string `json:"about"` // for people: "NVIDIA H200, 139.8 GiB, …"
}

var backends = map[string]Backend{}

// Register makes a backend known; backends call it from init.
func Register(name string, b Backend) { backends[name] = b }

// Suffixes are what may follow the name of a machine, the type of its Real tensors; without one it
// is the first.
var Suffixes = [...]string{":f32", ":f64"}

// Open opens a device by the name a user gives: auto, or a backend's name with its options,
// such as cpu:f64.
func Open(name string) (Device, error) {
	if name == "auto" || name == "" {
		dev, _, err := OpenAuto()
		return dev, err
	}
	backend, options, _ := strings.Cut(name, ":")
	b, ok := backends[backend]
	if !ok {
		return nil, &UnknownError{Name: name, Known: backendNames()}
	}
	return b.Open(options)
}

// OpenAuto opens the first GPU that can be used, else the CPU. why is the reason for the CPU,
// in one line, and "" for a GPU.
func OpenAuto() (dev Device, why string, err error) {
	var reasons []string
	for _, name := range backendNames() {
		if name == "cpu" {
			continue
		}
		dev, err := backends[name].Open("")
		if err == nil {
			return dev, "", nil
		}
		reasons = append(reasons, err.Error())
	}
	dev, err = Open("cpu")
	return dev, strings.Join(reasons, "; "), err
}

// Machines are what all backends can open, and for those with nothing the reason, by name.
func Machines() (machines []Machine, reasons map[string]error) {
	reasons = map[string]error{}
	for _, name := range backendNames() {
		found, err := backends[name].Machines()
		if err != nil {
			reasons[name] = err
		}
		machines = append(machines, found...)
	}
	return machines, reasons
}

// backendNames lists the registered backends.
func backendNames() []string {
	names := make([]string, 0, len(backends))
	for n := range backends {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// UnknownError says that no such device is built in.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("device %q is not known: use auto, %s", e.Name, strings.Join(e.Known, ", "))
}

// AbsentError says that a device is known by its name, and why it cannot be used here.
type AbsentError struct {
	Name string
	Err  error
}

func (e *AbsentError) Error() string { return fmt.Sprintf("device %s: %v", e.Name, e.Err) }

// Unwrap is the cause.
func (e *AbsentError) Unwrap() error { return e.Err }
