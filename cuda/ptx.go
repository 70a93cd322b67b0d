package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// image is the PTX that `make ptx` makes of kernels.cu: its file.
type image string

// The images that the program carries. The first two have all kernels, in plain arithmetic and with
// tensor cores; the others have products of doubles alone, in place of those of the second.
const (
	plainImage   image = "kernels_sm70.ptx"
	tensorImage  image = "kernels_sm80.ptx"
	plainDoubles image = "kernels_sm86.ptx"
	largeDoubles image = "kernels_sm90.ptx" // by 16×4 times 4×8, from compute capability 9.0 on
)

func images() []image { return []image{plainImage, tensorImage, plainDoubles, largeDoubles} }

// imagesFor are the images for a GPU: one with all kernels, and one with better products of
// doubles, or "". The tensor cores of data centres' GPUs multiply doubles fast: 8.0, 9.0 and 10.0.
// Other GPUs have few units for that, and plain arithmetic is no slower.
func imagesFor(c Capability) (all, doubles image, err error) {
	switch {
	case c.less(Capability{7, 0}):
		return "", "", fmt.Errorf("compute capability %v is too old: 7.0 or later is needed", c)
	case c.less(tensorCores):
		return plainImage, "", nil
	case c == tensorCores:
		return tensorImage, "", nil
	case c == Capability{9, 0} || c == Capability{10, 0}:
		return tensorImage, largeDoubles, nil
	}
	return tensorImage, plainDoubles, nil
}

// Capability is a GPU's compute capability.
type Capability struct{ Major, Minor int }

// tensorCores is the first one whose tensor cores multiply float32, as TF32, and doubles.
var tensorCores = Capability{8, 0}

func (c Capability) String() string { return fmt.Sprintf("%d.%d", c.Major, c.Minor) }

func (c Capability) less(d Capability) bool {
	return c.Major < d.Major || c.Major == d.Major && c.Minor < d.Minor
}

// fewDoubles is true of GPUs that are not made for data centres: 7.5, 8.6, 8.9 and 12.x.
func (c Capability) fewDoubles() bool {
	return c.Major == 12 || c.Major < 9 && c.Minor >= 5
}

// Kind is the type of a kernel's parameter, as PTX distinguishes them.
type Kind uint8

// The kinds of parameter that a kernel may have.
const (
	U32 Kind = iota + 1 // int, unsigned
	U64                 // a pointer, or a 64-bit integer
	F32                 // float
	F64                 // double
)

func (k Kind) String() string { return [...]string{"none", "u32", "u64", "f32", "f64"}[k] }

// Signature is the parameters of a kernel in the PTX, and the threads of a block. The source of the
// kernel states that number, and every launch uses it.
type Signature struct {
	Params  []Kind
	Threads int
}

// maxParams is the most parameters that a kernel may have.
const maxParams = 32

var (
	entryPattern   = regexp.MustCompile(`(?s)\.entry (\w+)\((.*?)\)\s*(.*?)\{`)
	paramPattern   = regexp.MustCompile(`\.param \.(?:align \d+ \.)?(\w+)`)
	threadsPattern = regexp.MustCompile(`\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?`)
)

// Signatures are the kernels of a PTX image by name.
func Signatures(ptx string) (map[string]Signature, error) {
	kinds := map[string]Kind{"u32": U32, "s32": U32, "b32": U32, "u64": U64, "s64": U64, "b64": U64, "f32": F32, "f64": F64}
	all := map[string]Signature{}
	for _, entry := range entryPattern.FindAllStringSubmatch(ptx, -1) {
		name, s := entry[1], Signature{}
		for _, p := range paramPattern.FindAllStringSubmatch(entry[2], -1) {
			kind, ok := kinds[p[1]]
			if !ok {
				return nil, fmt.Errorf("kernel %s has a parameter of type %s", name, p[1])
			}
			s.Params = append(s.Params, kind)
		}
		threads := threadsPattern.FindStringSubmatch(entry[3])
		if threads == nil {
			return nil, fmt.Errorf("kernel %s does not state its number of threads", name)
		}
		s.Threads, _ = strconv.Atoi(threads[1])
		all[name] = s
	}
	if len(all) == 0 || len(all) != strings.Count(ptx, ".entry ") {
		return nil, fmt.Errorf("%d of %d kernels could be read from the PTX", len(all), strings.Count(ptx, ".entry "))
	}
	return all, nil
}
