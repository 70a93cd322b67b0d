package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// part is a part of the memory: its buffers, by the beginning of their names, its group, and its name for people.
type part struct{ prefix, group, words string }

// parts are the parts of the memory, by the beginning of the names of their buffers: the first match counts. The groups
// stand in the order of this table.
var parts = []part{
	{"set.x", "data set", "inputs"}, {"set.y", "data set", "targets"},
	{"set.d", "data set", "distances to the inducing sequences"},
	{"set.vectors", "data set", "features of sequences"}, {"set.", "data set", "other columns"},
	{"model.params.Value", "parameters", "all parameters"},
	{"model.params.wide", "parameters", "those of the GP layer, in double"},
	{"model.params.Grad", "gradients", "all gradients"},
	{"model.params.sums", "gradients", "sums of gradients, in double"},
	{"adam.m", "Adam: moments and rates", "means of gradients"},
	{"adam.v", "Adam: moments and rates", "means of squared gradients"},
	{"adam.", "Adam: moments and rates", "rates"},
	{"validation.kept", "validation", "best parameters"},
	{"validation.", "validation", "predictions of validation rows"},
	{"model.report", "report", "objective and its terms"},
	{"model.drf", "DRF layers: frequencies", "distribution of the frequencies"},
	{"model.gp.kuu", "GP layer: matrices", "kernel of the inducing points"},
	{"model.gp.l", "GP layer: matrices", "Cholesky factors of the kernel"},
	{"model.gp.xbar", "GP layer: matrices", "distances between inducing sequences"},
	{"model.gp.", "GP layer: matrices", "distribution of the inducing values"},
	{"model.", "GP layer: matrices", "others"},
	{"pass.gp.in.x", "GP layer: activations", "inputs, in double"},
	{"pass.gp.in", "GP layer: activations", "distances of the batch"},
	{"pass.gp.kuf", "GP layer: activations", "kernel of rows and inducing points"},
	{"pass.gp.mean", "GP layer: activations", "moments of the latent functions"},
	{"pass.gp.variance", "GP layer: activations", "moments of the latent functions"},
	{"pass.gp.dmean", "GP layer: activations", "moments of the latent functions"},
	{"pass.gp.dvariance", "GP layer: activations", "moments of the latent functions"},
	{"pass.gp.", "GP layer: activations", "products with the kernel"},
	{"pass.drf.scratch", "DRF layers: activations and features", "features and moments"},
	{"pass.drf", "DRF layers: activations and features", "inputs and outputs"},
	{"pass.rows", "batch", "row numbers"}, {"pass.x", "batch", "inputs"}, {"pass.y", "batch", "targets"},
	{"pass.f", "batch", "samples of the latent functions"}, {"pass.df", "batch", "samples of the latent functions"},
	{"pass", "batch", "others"},
	{"device.workers", "scratch of the backend", "scratch of the threads"},
	{"device.", "scratch of the backend", "scratch of the operations"},
	{hostPrefix, "host memory", ""}, // the rest of the name is in words
}

const hostPrefix = "host."

var (
	index   = regexp.MustCompile(`\[\d+\]`)
	inLayer = regexp.MustCompile(`^(?:model|pass)\.drf\[(\d+)\]`)
)

// partIndex returns the index of a name in parts.
func partIndex(name string) int {
	plain := index.ReplaceAllString(name, "")
	return slices.IndexFunc(parts, func(p part) bool { return strings.HasPrefix(plain, p.prefix) })
}

// groupRank returns the place of a group among all.
func groupRank(group string) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.group == group })
}

// Words names the part of the memory that holds the buffer, for people.
func (b Buffer) Words() string {
	words := parts[partIndex(b.Name)].words
	if words == "" {
		return strings.TrimPrefix(b.Name, hostPrefix)
	}
	if layer := inLayer.FindStringSubmatch(b.Name); layer != nil {
		number, _ := strconv.Atoi(layer[1])
		words += fmt.Sprintf(", layer %d", number+1)
	}
	return words
}

// line is a part of a Plan for people, with the shape and type of its only buffer.
type line struct {
	group, words, shape string
	bytes               int64
}

// partLines returns a line for each group, followed by those of its parts.
func (p *Plan) partLines() (text []string) {
	var lines []line
	width, sums := 0, map[string]int64{}
	for _, b := range p.Buffers {
		words := b.Words()
		i := slices.IndexFunc(lines, func(l line) bool { return l.group == b.Group && l.words == words })
		if i < 0 {
			i = len(lines)
			lines = append(lines, line{b.Group, words, fmt.Sprintf("%-18s %-3s", b.shape(), b.Type), 0})
		} else {
			lines[i].shape = ""
		}
		lines[i].bytes = AddSaturating(lines[i].bytes, b.Bytes)
		sums[b.Group] = AddSaturating(sums[b.Group], b.Bytes)
		width = max(width, utf8.RuneCountInString(words))
	}
	for i, l := range lines {
		if i == 0 || l.group != lines[i-1].group {
			text = append(text, fmt.Sprintf("%-*s %10s", width+24, l.group, Bytes(sums[l.group])))
		}
		text = append(text, fmt.Sprintf("  %-*s%-22s %10s", width, l.words, l.shape, Bytes(l.bytes)))
	}
	return text
}
