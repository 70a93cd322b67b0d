package device

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Backend holds the functions that a backend registers under its name.
type Backend struct {
	// Open opens a device by the options after the backend's name: for "cpu:f32" it gets "f32".
	Open func(options string, log Logger) (Device, error)
	// List lists the devices, without opening them, or gives the reason why it finds none.
	List func() ([]Info, error)
}

// Info describes a device that a backend can open.
type Info struct {
	Name  string `json:"name"`  // "cpu", "cuda:0"; ":f32" or ":f64" may follow
	About string `json:"about"` // description for people: "NVIDIA H200, 139.8 GiB, …"
}

// Logger takes a line for people about what a device waits for, or what it lacks.
type Logger func(line string)

var backends = map[string]Backend{}

// Register makes a backend known; backends call it from init.
func Register(name string, b Backend) { backends[name] = b }

// Suffixes may follow the name of a device, and give the type of its Real tensors. Without a suffix the first one
// counts.
var Suffixes = [...]string{":f32", ":f64"}

// Open opens a device by the name a user gives: auto, or a backend's name with its options, such as cpu:f64.
func Open(name string) (Device, error) { return OpenLogged(name, func(string) {}) }

// OpenLogged opens a device as Open does, with a Logger.
func OpenLogged(name string, log Logger) (Device, error) {
	if name == "auto" || name == "" {
		dev, _, err := OpenAuto(log)
		return dev, err
	}
	backend, options, _ := strings.Cut(name, ":")
	b, ok := backends[backend]
	if !ok {
		return nil, fmt.Errorf("device %q is not known: use auto, %s", name, strings.Join(backendNames(), ", "))
	}
	return b.Open(options, log)
}

// OpenAuto opens the first GPU that can be used, or else the CPU. why is the reason why earlier devices were not used,
// in one line, and "" for the first GPU. An error is about a setting of the user, such as a variable.
func OpenAuto(log Logger) (dev Device, why string, err error) {
	devices, absent := List()
	var reasons []string
	for _, name := range backendNames() {
		if err := absent[name]; err != nil {
			reasons = append(reasons, err.Error())
		}
	}
	for _, m := range devices {
		if m.Name == "cpu" {
			continue
		}
		dev, err := OpenLogged(m.Name, log)
		if err != nil && errors.As(err, new(*AbsentError)) {
			reasons = append(reasons, strings.TrimPrefix(err.Error(), "device "))
			continue
		}
		return dev, strings.Join(reasons, "; "), err
	}
	dev, err = Open("cpu")
	return dev, strings.Join(reasons, "; "), err
}

// List lists the devices of all backends, and by name the reason for each backend without devices.
func List() (devices []Info, reasons map[string]error) {
	reasons = map[string]error{}
	for _, name := range backendNames() {
		found, err := backends[name].List()
		if err != nil {
			reasons[name] = err
		}
		devices = append(devices, found...)
	}
	return devices, reasons
}

// backendNames returns the names of the registered backends.
func backendNames() []string { return slices.Sorted(maps.Keys(backends)) }

// SettingError reports a variable of the environment that a device cannot follow.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SettingError) Unwrap() error { return e.Err }

// AbsentError reports a device that is known by its name but cannot be used here, and the reason.
type AbsentError struct {
	Name string
	Err  error
}

func (e *AbsentError) Error() string { return fmt.Sprintf("device %s: %v", e.Name, e.Err) }

// Unwrap returns the cause.
func (e *AbsentError) Unwrap() error { return e.Err }
