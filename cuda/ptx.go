package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// image is the file of PTX that `make ptx` makes of kernels.cu.
type image string

// These are the images that the program carries. The first has all kernels in plain arithmetic. The others have
// products of doubles by tensor cores instead; the second also has products of floats as TF32.
const (
	plainImage   image = "kernels_sm70.ptx"
	tensorImage  image = "kernels_sm80.ptx"
	largeDoubles image = "kernels_sm90.ptx" // products of doubles by 16×4 times 4×8, from compute capability 9.0 on
)

func images() []image { return []image{plainImage, tensorImage, largeDoubles} }

// capability returns the least compute capability that an image runs on, which is part of its name.
func (i image) capability() Capability {
	var digits int
	if _, err := fmt.Sscanf(string(i), "kernels_sm%d.ptx", &digits); err != nil {
		panic("cuda: " + string(i) + ": " + err.Error())
	}
	return Capability{digits / 10, digits % 10}
}

// imageVariable names the environment variable that overrides the choice of images.
const imageVariable = "GPDRF_CUDA_IMAGE"

// choice is the image for a GPU in addition to plainImage, and the reason for it.
type choice struct {
	doubles  image // image with better products of doubles, or ""
	why      string
	assembly bool // machine code may be loaded
	ptx      bool // PTX may be compiled
}

// choose chooses the image for a GPU. A forced value names it, or the form of all: cubin or ptx.
func choose(c Capability, forced string) (choice, error) {
	x := choice{assembly: true, ptx: true}
	if c.less(plainImage.capability()) {
		return x, &NoDeviceError{fmt.Sprintf("compute capability %v is too old: %v or later is needed",
			c, plainImage.capability())}
	}
	x.doubles, x.why = doublesFor(c)
	if forced == "" {
		return x, nil
	}
	x.why = imageVariable + "=" + forced
	switch forced {
	case "70":
		x.doubles = ""
	case "80":
		x.doubles = tensorImage
	case "90":
		x.doubles = largeDoubles
	case "cubin":
		x.ptx = false
	case "ptx":
		x.assembly = false
	default:
		return x, &SettingError{imageVariable, forced, "use 70, 80, 90, cubin or ptx"}
	}
	if i := x.doubles; i != "" && c.less(i.capability()) {
		return x, &SettingError{imageVariable, forced,
			fmt.Sprintf("%s needs compute capability %v, and this GPU has %v", i, i.capability(), c)}
	}
	return x, nil
}

// doublesFor returns the image with the products of doubles that suit a GPU best, "" if plain ones do, and why. The
// tensor cores of data centres' GPUs multiply doubles fast: 8.0, 9.0 and 10.0. Other GPUs have few units for that, and
// plain arithmetic is no slower.
func doublesFor(c Capability) (_ image, why string) {
	switch {
	case c.less(tensorCores):
		return "", "no tensor cores for doubles"
	case c.fewDoubles():
		return "", "few units for doubles"
	case c == tensorCores:
		return tensorImage, "tensor cores for doubles"
	}
	return largeDoubles, "tensor cores for doubles"
}

// Capability is a GPU's compute capability.
type Capability struct{ Major, Minor int }

// tensorCores is the first capability whose tensor cores multiply float32, as TF32, and doubles.
var tensorCores = Capability{8, 0}

func (c Capability) String() string { return fmt.Sprintf("%d.%d", c.Major, c.Minor) }

func (c Capability) less(d Capability) bool {
	return c.Major < d.Major || c.Major == d.Major && c.Minor < d.Minor
}

// fewDoubles reports whether a GPU is not one of the data-centre GPUs made for doubles: 7.0, 8.0, 9.0 and 10.0.
func (c Capability) fewDoubles() bool { return c.Minor != 0 || c.Major > 10 }

// Kind is the type of a kernel's parameter, as PTX distinguishes them.
type Kind uint8

// These are the kinds of parameters that a kernel may have.
const (
	U32 Kind = iota + 1 // int, unsigned
	U64                 // a pointer, or a 64-bit integer
	F32                 // float
	F64                 // double
)

func (k Kind) String() string { return [...]string{"none", "u32", "u64", "f32", "f64"}[k] }

// Signature is the parameters of a kernel in the PTX, the threads of a block, and the blocks that share a
// multiprocessor. The source of the kernel states these numbers, and every launch uses them.
type Signature struct {
	Params  []Kind
	Threads int
	Blocks  int // 0 if the source does not set it
}

// maxParams is the most parameters that a kernel may have.
const maxParams = 32

var (
	entryPattern   = regexp.MustCompile(`(?s)\.entry (\w+)\((.*?)\)\s*(.*?)\{`)
	paramPattern   = regexp.MustCompile(`\.param \.(?:align \d+ \.)?(\w+)`)
	blocksPattern  = regexp.MustCompile(`\.minnctapersm (\d+)`)
	threadsPattern = regexp.MustCompile(`\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?`)
)

// Signatures finds the kernels of a PTX image by name.
func Signatures(ptx string) (map[string]Signature, error) {
	kinds := map[string]Kind{"u32": U32, "s32": U32, "b32": U32, "u64": U64, "s64": U64, "b64": U64, "f32": F32,
		"f64": F64}
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
		if blocks := blocksPattern.FindStringSubmatch(entry[3]); blocks != nil {
			s.Blocks, _ = strconv.Atoi(blocks[1])
		}
		all[name] = s
	}
	if len(all) == 0 || len(all) != strings.Count(ptx, ".entry ") {
		return nil, fmt.Errorf("%d of %d kernels could be read from the PTX", len(all), strings.Count(ptx, ".entry "))
	}
	return all, nil
}

// part is PTX that compiles by itself.
type part struct {
	kernels []string
	text    string
}

// variablePattern is a variable of a module, at the head of the PTX.
var variablePattern = regexp.MustCompile(`(?m)^\.visible \.global .* (\w+)\[`)

// parts divides a PTX image. A kernel is a part, but kernels that use the same variable share a part, since each module
// has a separate copy of the variable.
func parts(ptx string) (all []part) {
	const entry = ".visible .entry "
	texts := strings.Split(ptx, entry)
	head := texts[0]
	var names []string
	for _, variable := range variablePattern.FindAllStringSubmatch(head, -1) {
		names = append(names, variable[1])
	}
	uses := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	together := part{text: head}
	for _, text := range texts[1:] {
		name, _, _ := strings.Cut(text, "(")
		// The pattern is slow, and most kernels do not contain these letters.
		if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(text, n) }) &&
			uses.MatchString(text) {
			together.kernels, together.text = append(together.kernels, name), together.text+entry+text
		} else {
			all = append(all, part{[]string{name}, head + entry + text})
		}
	}
	if together.kernels != nil {
		all = append(all, together)
	}
	return all
}
