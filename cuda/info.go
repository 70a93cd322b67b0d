package cuda

import "fmt"

// Info describes a GPU.
type Info struct {
	Ordinal    int
	Name       string
	Memory     int64 // number of bytes
	Capability Capability
	Driver     int // the newest CUDA version that the driver supports, as 1000·major + 10·minor
	// loaded images, the reason for them, and where they came from; "" before Open
	Kernels string
}

// String returns one line for people.
func (i Info) String() string {
	text := fmt.Sprintf("%s, %.1f GiB, compute capability %v, driver for CUDA %d.%d",
		i.Name, float64(i.Memory)/(1<<30), i.Capability, i.Driver/1000, i.Driver%1000/10)
	if i.Kernels != "" {
		text += ", " + i.Kernels
	}
	return text
}

// NoDeviceError is the reason why there is no GPU to use.
type NoDeviceError struct{ Reason string }

func (e *NoDeviceError) Error() string { return e.Reason }

// SettingError is an environment variable with a value that does not fit.
type SettingError struct{ Name, Value, Reason string }

func (e *SettingError) Error() string { return e.Name + "=" + e.Value + ": " + e.Reason }

// OutOfMemoryError has the numbers of requested, free and all bytes of device memory.
type OutOfMemoryError struct{ Bytes, Free, Total int64 }

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("%s of GPU memory are needed where %s of %s are free", size(e.Bytes), size(e.Free),
		size(e.Total))
}

// size returns a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
