//go:build cuda && cgo

package cuda

import (
	"fmt"
	"strings"

	"gorgonia.org/cu"
)

// loaded is an image on a GPU, with the kernels that it has.
type loaded struct {
	image   image
	module  cu.Module
	kernels map[string]Signature
}

// loader loads the images of a choice to a GPU.
type loader struct {
	choice  choice
	info    *Info
	say     func(line string)
	names   []string // of the images so far
	forms   []string // where their code came from
	refused error    // the driver's reason for no machine code
	waits   bool     // for the driver's compiler, which has been said
}

// load loads an image: its machine code, if the program carries it for this GPU, or else its PTX. A
// driver that is older than the machine code refuses it, and compiles the PTX. If neither loads, the
// error has both reasons.
func (l *loader) load(i image) (*loaded, error) {
	text := i.text()
	kernels, err := Signatures(text)
	if err != nil {
		panic("cuda: " + err.Error())
	}
	module, err := l.assembled(i)
	if err == nil && module == (cu.Module{}) {
		module, err = l.compiled(i, text)
	}
	if err != nil {
		return nil, err
	}
	l.names = append(l.names, string(i))
	l.info.Kernels = l.String()
	return &loaded{i, module, kernels}, nil
}

// assembled loads the machine code of an image; no module and no error call for its PTX.
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

// compiled has the driver compile the PTX of an image.
func (l *loader) compiled(i image, text string) (cu.Module, error) {
	if !l.waits {
		l.waits = true
		line := fmt.Sprintf("the driver compiles the kernels for %s, unless it has kept them from an earlier start",
			l.info.Name)
		if l.refused != nil {
			line += fmt.Sprintf("; it refuses the machine code: %v", l.refused)
		}
		l.say(line)
	}
	module, err := loadImage(string(i), append([]byte(text), 0))
	l.forms = append(l.forms, "PTX that the driver compiled")
	if err != nil && l.refused != nil {
		err = fmt.Errorf("%w; %w", err, l.refused)
	}
	return module, err
}

// String is the images, the reason for them, and where they came from.
func (l *loader) String() string {
	text := strings.Join(l.names, " and ") + " (" + l.choice.why + "): " + l.forms[0]
	if last := l.forms[len(l.forms)-1]; last != l.forms[0] {
		text += ", and " + last
	}
	return text
}
