package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gpdrf/gpdrf-gpu/internal/version"
)

func (p *program) completionVerb() verb {
	return verb{
		name: "completion", args: "bash|zsh|fish",
		line: "print a script that completes commands in a shell", run: p.completion,
		about: "The script completes commands, flags and the values of flags.",
		examples: []example{
			{"source <(gpdrf-gpu completion bash)", "in this shell; in ~/.bashrc for all"},
			{"gpdrf-gpu completion fish > ~/.config/fish/completions/gpdrf-gpu.fish", "for fish"},
		},
	}
}

func (p *program) manVerb() verb {
	return verb{
		name: "man", line: "print the manual page", run: p.man,
		about:    "It prints the help of all commands, with all keys, in the format of man.",
		examples: []example{{"gpdrf-gpu man > gpdrf-gpu.1 && man ./gpdrf-gpu.1", "read it"}},
	}
}

// completionFlag asks for the words that may come next. The scripts for shells add it to a command.
const completionFlag = "--generate-bash-completion"

//go:embed completion.bash
var bashCompletion string

//go:embed completion.zsh
var zshCompletion string

// completion prints a script for a shell.
func (p *program) completion(c *call) error {
	shell, err := c.argument()
	if err != nil {
		return err
	}
	script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion}[shell]
	if shell == "fish" {
		script, err = p.app().ToFishCompletion()
	}
	if script == "" && err == nil {
		return usagef("completion: there is none for %q: use one of bash, zsh, fish", shell)
	}
	fmt.Fprint(p.out, script)
	return err
}

// completeFlags prints the words that may follow words, which stand after a verb: the values of the last flag, or
// flags. The shell itself completes files.
func (p *program) completeFlags(v verb, words []string) {
	if len(words) == 0 {
		return
	}
	last := words[len(words)-1]
	f := v.flag(flagName(last))
	switch {
	case !strings.HasPrefix(last, "-"):
	case f == nil || f.isSwitch():
		for _, name := range flagNames(v.flags) {
			if strings.HasPrefix(name, strings.TrimLeft(last, "-")) {
				fmt.Fprintln(p.out, "--"+name)
			}
		}
	case f.name == setFlag:
		for _, key := range flagNames(v.keys) {
			fmt.Fprintln(p.out, key+"=")
		}
	case strings.Contains(f.arg, "|") && f.arg == strings.ToLower(f.arg):
		fmt.Fprintln(p.out, strings.ReplaceAll(f.arg, "|", "\n"))
	}
}

// app returns the commands for the parser. Each command reads its own flags, so that they may come after arguments. The
// parser knows the flags for fish.
func (p *program) app() *cli.App {
	app := &cli.App{Name: "gpdrf-gpu", Version: version.Number,
		Writer: p.out, ErrWriter: p.err, ExitErrHandler: func(*cli.Context, error) {}}
	for _, v := range p.verbs() {
		command := &cli.Command{Name: v.name, Usage: v.line, ArgsUsage: v.args, HideHelp: true, SkipFlagParsing: true,
			Action: func(c *cli.Context) error { return p.runVerb(v, c.Args().Slice()) }}
		for _, f := range v.flags {
			var flag cli.Flag = &cli.StringFlag{Name: f.name, Usage: f.help, Category: f.group}
			if f.isSwitch() {
				flag = &cli.BoolFlag{Name: f.name, Usage: f.help, Category: f.group}
			}
			command.Flags = append(command.Flags, flag)
		}
		app.Commands = append(app.Commands, command)
	}
	return app
}

// roff hides the signs that mean something to man.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// man prints the manual page, from the texts of the help.
func (p *program) man(*call) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GPDRF-GPU 1 \"\" %q\n.SH NAME\ngpdrf\\-gpu \\- %s\n", "gpdrf-gpu "+version.Number, tagline)
	item := func(bold, text string) {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff.Replace(bold), roff.Replace(text))
	}
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, ".SH %s\n%s\n.PP\n\\fB%s\\fR\n.PP\n%s\n.SS Examples\n", strings.ToUpper(v.name),
			roff.Replace(v.line), roff.Replace(v.synopsis("\n.br\n")), roff.Replace(v.about))
		for _, e := range v.examples {
			item(e.command, e.what)
		}
		list := func(group string, flags []flagSpec) {
			b.WriteString(".SS " + group + "\n")
			for _, f := range flags {
				item(f.synopsis(), f.describe())
			}
		}
		eachGroup(v.flags, list)
		v.eachKeyGroup(list)
	}
	fmt.Fprint(p.out, b.String())
	return nil
}
