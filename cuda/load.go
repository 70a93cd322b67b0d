//go:build cuda && cgo

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/cu"
)

// loaded is an image on a GPU: machine code, or PTX in parts. The driver compiles a part when the first of its kernels
// is used.
type loaded struct {
	image   image
	kernels map[string]Signature
	modules map[string]*module // modules by their kernels
}

// module is code that is loaded as one.
type module struct {
	handle cu.Module // unset until the driver has compiled the PTX
	ptx    string
}

// compiledForm is the form of code that is not machine code; internal/release/check.sh looks for it.
const compiledForm = "PTX that the driver compiles"

// whole makes an image that consists of one module.
func whole(i image, handle cu.Module, kernels map[string]Signature) *loaded {
	l, one := &loaded{i, kernels, map[string]*module{}}, &module{handle: handle}
	for name := range kernels {
		l.modules[name] = one
	}
	return l
}

// moduleOf returns the module of a kernel. The driver compiles it at the first call.
func (l *loaded) moduleOf(kernel string) (_ cu.Module, err error) {
	m := l.modules[kernel]
	if m.handle == (cu.Module{}) {
		m.handle, err = loadImage("kernel "+kernel+" of "+string(l.image), append([]byte(m.ptx), 0))
	}
	return m.handle, err
}

// unload frees the modules.
func (l *loaded) unload() (err error) {
	for _, m := range l.modules {
		if m.handle != (cu.Module{}) {
			err = errors.Join(err, m.handle.Unload())
			m.handle = cu.Module{}
		}
	}
	return err
}

// loader loads the images of a choice to a GPU.
type loader struct {
	choice  choice
	info    *Info
	say     func(line string)
	names   []string // names of the images so far
	forms   []string // origins of their code
	refused error    // reason of the driver for refusing machine code
	waits   bool     // whether the message about the driver's compiler was printed
}

// load loads an image: its machine code, if the program carries it for this GPU, or else its PTX. A driver that is
// older than the machine code refuses it, and compiles the PTX. If neither loads, the error has both reasons.
func (l *loader) load(i image) (*loaded, error) {
	text := i.text()
	kernels, err := Signatures(text)
	if err != nil {
		panic("cuda: " + err.Error())
	}
	handle, err := l.assembled(i)
	one := whole(i, handle, kernels)
	if err == nil && handle == (cu.Module{}) {
		one, err = l.compiled(i, text, kernels)
	}
	if err != nil {
		return nil, err
	}
	l.names = append(l.names, string(i))
	l.info.Kernels = l.String()
	return one, nil
}

// assembled loads the machine code of an image. It returns neither module nor error if the PTX must be used.
func (l *loader) assembled(i image) (module cu.Module, err error) {
	sm := i.architecture(l.info.Capability)
	switch {
	case !l.choice.assembly:
		return module, nil
	case sm == "":
		err = fmt.Errorf("the program has no machine code of %s for compute capability %v", i, l.info.Capability)
	default:
		if module, err = loadImage(string(i)+" for "+sm, i.machineCode(l.info.Capability)); err == nil {
			l.forms = append(l.forms, "machine code for "+sm)
			return module, nil
		}
		l.refused = err
	}
	if l.choice.ptx {
		return cu.Module{}, nil
	}
	return cu.Module{}, &SettingError{imageVariable, "cubin", err.Error()}
}

// compiled lets the driver compile the PTX of an image. The smallest part shows at once whether it can.
func (l *loader) compiled(i image, text string, kernels map[string]Signature) (*loaded, error) {
	if !l.waits {
		l.waits = true
		line := fmt.Sprintf("the driver compiles the kernels for %s when they are first used, unless it has kept them "+
			"from an earlier run", l.info.Name)
		if l.refused != nil {
			line += fmt.Sprintf("; it refuses the machine code: %v", l.refused)
		}
		l.say(line)
	}
	l.forms = append(l.forms, compiledForm)
	one, all := &loaded{i, kernels, map[string]*module{}}, parts(text)
	for _, p := range all {
		m := &module{ptx: p.text}
		for _, name := range p.kernels {
			one.modules[name] = m
		}
	}
	smallest := slices.MinFunc(all, func(a, b part) int { return len(a.text) - len(b.text) })
	_, err := one.moduleOf(smallest.kernels[0])
	if err != nil && l.refused != nil {
		err = fmt.Errorf("%w; %w", err, l.refused)
	}
	return one, err
}

// String returns the images, the reason for them, and where they came from.
func (l *loader) String() string {
	text := strings.Join(l.names, " and ") + " (" + l.choice.why + "): " + l.forms[0]
	if last := l.forms[len(l.forms)-1]; last != l.forms[0] {
		text += ", and " + last
	}
	return text
}
