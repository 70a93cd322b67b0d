// Command gpdrf-gpu trains deep Gaussian processes and predicts with them. Each verb has a file of its own; its help is
// there, or in train_help.go. docs/cli.md is made from the helps and package options.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gpdrf/gpdrf-gpu/data"
	_ "github.com/gpdrf/gpdrf-gpu/data/columnar"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	_ "github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Exit codes. They are part of the command line's contract.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2 // bad input or usage
	exitInterrupted = 130
)

func init() {
	if os.Getenv("GPDRF_DASHES") != "0" {
		usererror.DashOptions()
	}
}

func main() { os.Exit(start(os.Stderr)) }

// start runs the command, which prints its notes to err, and returns the exit code.
func start(err io.Writer) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C kills, unless onSecondSignal handles it
	}()
	p := &program{ctx: ctx, interrupt: stop, quit: make(chan error, 1),
		console: console{out: os.Stdout, err: err, terminal: hasRoomForBar(int(os.Stderr.Fd()))}}
	go func() { p.exit(p.do(os.Args)) }()
	return p.end(<-p.quit) // a guard may exit in the middle of the work
}

// program is one call of the command.
type program struct {
	console
	ctx       context.Context // is done at Ctrl-C
	interrupt func()          // makes ctx done
	quit      chan error      // receives the error with which main exits
	piped     data.Piped      // the standard input that data are read from
	args      []string        // the words after the name of the program
	given     []string        // keys of the options of a run that the user gave, now or when the folder began
	began     time.Time       // the start of the call

	cvPath      string   // the folder of the cross-validation that a run belongs to
	deviceNotes []string // the notes of devices that are printed already
	reports     bool     // train writes a report
	tensorboard bool     // train writes a log for TensorBoard

	ranks *ranks // the processes that share the work; nil for a single process
}

func (p *program) do(args []string) error {
	p.args = args[1:]
	p.began = time.Now()
	if err := simd.TierError(); err != nil {
		p.warn("%v", err)
	}
	out := &output{to: p.out}
	p.out = out
	if err := p.finishShared(p.dispatch(args[1:])); err != nil {
		return err
	}
	return out.err
}

// end prints the error of a command, unless it was printed before, and returns the exit code.
func (p *program) end(err error) int {
	if err != nil && !errors.Is(err, errInterrupted) && !hasEnded(err) {
		fmt.Fprintln(p.err, "gpdrf-gpu:", err)
	}
	return exitCode(err)
}

// dispatch runs the command that the words name. If its device fails, that is an error like others.
func (p *program) dispatch(words []string) (err error) {
	defer device.RecoverFault(&err)
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	switch first {
	case "", "help", "h", "--help", "-help", "-h":
		return p.help(words[min(1, len(words)):])
	case completionFlag:
		for _, v := range p.verbs() {
			fmt.Fprintln(p.out, v.name)
		}
		return nil
	}
	if !slices.Contains([]string{"--version", "-version", "-v"}, first) {
		if _, err := p.find(first); err != nil {
			return err
		}
	}
	return p.app().Run(append([]string{"gpdrf-gpu"}, words...))
}

func (p *program) runVerb(v verb, words []string) error {
	if n := len(words); n > 0 && words[n-1] == completionFlag {
		p.completeFlags(v, words[:n-1])
		return nil
	}
	c, err := newCall(v, words)
	if err != nil {
		return err
	}
	if _, help := c.values["help"]; help {
		fmt.Fprint(p.out, v.help(false))
		return nil
	}
	if err := p.readCommonFlags(c); err != nil {
		return err
	}
	return v.run(c)
}

// find returns the command of this name. A word that follows another command, such as compare of runs, gets a hint.
func (p *program) find(name string) (verb, error) {
	var names []string
	meant := map[string]string{} // commands by the words in them
	for _, v := range p.verbs() {
		if v.name == name {
			return v, nil
		}
		names = append(names, v.name)
		for _, word := range strings.FieldsFunc(v.args, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if word == strings.ToLower(word) { // not the name of an argument
				meant[word] = v.name + " " + word
			}
		}
	}
	if strings.HasPrefix(name, "-") {
		return verb{}, usagef("%s: a command comes first: %s", name, strings.Join(names, ", "))
	}
	for _, command := range append(names, "--version", "help") {
		meant[strings.TrimPrefix(command, "--")] = command
	}
	if near, ok := didyoumean.Nearest(name, slices.Sorted(maps.Keys(meant))); ok {
		return verb{}, usagef("unknown command %q: did you mean %q?", name, meant[near])
	}
	return verb{}, usagef("unknown command %q: use one of %s", name, strings.Join(names, ", "))
}

// output is the writer of results. It keeps the error of the first write that failed, so that the command fails, too.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// errInterrupted ends a verb after Ctrl-C. All messages are printed before.
var errInterrupted = errors.New("interrupted")

func exitCode(err error) int {
	var (
		ended *endedError
		rank  *dist.RankError
		usage *usererror.Error
		input *data.Error
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ended):
		return ended.code
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &rank):
		return rank.Code
	case errors.As(err, &usage), errors.As(err, &input), errors.Is(err, fs.ErrPermission):
		return exitUsage
	}
	return exitFailure
}

// usagef returns an error about how the command was called.
func usagef(format string, args ...any) error {
	return &usererror.Error{Err: fmt.Errorf(format, args...)}
}

// readControl returns the context, and the standard input, of files that the command reads.
func (p *program) readControl() data.ReadControl {
	return data.ReadControl{Context: p.ctx, Piped: &p.piped}
}
