package device

import (
	"fmt"
	"sort"
	"strings"
)

// Opener opens a backend by what follows its name: for "cpu:f32" it gets "f32".
type Opener func(options string) (Device, error)

var backends = map[string]Opener{}

// Register makes a backend known; backends call it from init.
func Register(name string, open Opener) { backends[name] = open }

// Open opens a device by the name a user gives: auto, cpu, cpu:f32, cpu:f64.
func Open(name string) (Device, error) {
	if name == "auto" || name == "" {
		name = "cpu"
	}
	backend, options, _ := strings.Cut(name, ":")
	open, ok := backends[backend]
	if !ok {
		return nil, &UnknownError{Name: name, Known: Names()}
	}
	return open(options)
}

// Names lists the registered backends.
func Names() []string {
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
