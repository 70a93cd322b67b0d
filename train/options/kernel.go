package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// kernelChoices lists the values of the option kernel for a message.
func kernelChoices() []string {
	return append(append([]string{Auto}, model.Kernels()...), "A+B", "MAPS")
}

func checkKernel(text string) (wrong string) {
	_, _, wrong = splitKernel(text)
	return wrong
}

// splitKernel takes the option kernel apart: the kernels of vectors, and the feature maps of sequences. auto has
// neither.
func splitKernel(text string) (vectorKernels []string, maps seq.Spec, wrong string) {
	if text == Auto {
		return nil, nil, ""
	}
	var words []string
	for _, word := range strings.Split(text, "+") {
		word = strings.TrimSpace(word)
		name, _, _ := strings.Cut(word, "/")
		name, _, _ = strings.Cut(name, ":")
		switch {
		case slices.Contains(model.Kernels(), word):
			vectorKernels = append(vectorKernels, word)
		case slices.Contains(seq.MapNames(), name):
			words = append(words, word)
		case word == Auto:
			return nil, nil, "is a sum with auto in it: write auto alone"
		case name == "":
			return nil, nil, "has an empty part: write one kernel, or several with a + between them"
		default:
			begun := slices.DeleteFunc(kernelChoices(), func(k string) bool { return !strings.HasPrefix(k, name) })
			if len(begun) > 1 {
				return nil, nil, "is not a kernel: give one of " + strings.Join(begun, ", ")
			}
			if near, ok := didyoumean.Nearest(name, append(seq.MapNames(), kernelChoices()...)); ok {
				return nil, nil, fmt.Sprintf("is not a kernel: did you mean %q?", near)
			}
			return nil, nil, fmt.Sprintf("is not a kernel: use one of %s, which are maps of "+
				"sequences, graphs and trees: %s",
				strings.Join(kernelChoices(), ", "), strings.Join(seq.MapNames(), ", "))
		}
	}
	if most := 2 - min(1, len(words)); len(vectorKernels) > most {
		return nil, nil, "has too many parts: at most two kernels of vectors, or one with sequences"
	}
	if words == nil {
		return vectorKernels, nil, ""
	}
	joined := strings.Join(words, "+")
	maps, err := seq.Parse(joined)
	if err != nil {
		return nil, nil, "is not a kernel: " + strings.TrimPrefix(err.Error(), fmt.Sprintf("kernel %q: ", joined))
	}
	return vectorKernels, maps, ""
}

// Kernels returns the parts of the option kernel. It panics for a text that is no kernel: Resolve refuses these.
func (c Config) Kernels() (vectorKernels []string, maps seq.Spec) {
	vectorKernels, maps, wrong := splitKernel(c.KernelSpec)
	if wrong != "" {
		panic("options: kernel " + wrong)
	}
	return vectorKernels, maps
}

// joinKernel inverts splitKernel.
func joinKernel(vectorKernels []string, maps seq.Spec) string {
	if maps != nil {
		vectorKernels = append(slices.Clone(vectorKernels), maps.String())
	}
	return strings.Join(vectorKernels, "+")
}

// isResolved reports whether rows may have turned the requested kernel into resolvedKernel. As in resolveSequences,
// numbers beside sequences add a kernel of vectors.
func isResolved(requested, resolvedKernel string) bool {
	vectorKernels, maps, _ := splitKernel(requested)
	resolvedKernels, resolvedMaps, _ := splitKernel(resolvedKernel)
	if vectorKernels == nil && maps != nil && resolvedKernels != nil {
		vectorKernels = model.Kernels()[:1]
	}
	return joinKernel(vectorKernels, maps) == joinKernel(resolvedKernels, resolvedMaps)
}
