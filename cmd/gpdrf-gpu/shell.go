package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// completionFlag asks the parser for the words that may come next.
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

// complete prints what may follow the words of a command line: the values of the flag before, or
// flags. Files are the shell's own.
func (p *program) complete(v verb) cli.BashCompleteFunc {
	return func(*cli.Context) {
		words := p.args[:len(p.args)-1]
		last := words[len(words)-1]
		name := strings.TrimLeft(last, "-")
		for _, f := range v.flags {
			switch {
			case last == "--"+f.name && !f.isSwitch():
				if strings.Contains(f.arg, "|") && f.arg == strings.ToLower(f.arg) {
					fmt.Fprintln(p.out, strings.ReplaceAll(f.arg, "|", "\n"))
				}
				return
			case strings.HasPrefix(last, "-") && strings.HasPrefix(f.name, name):
				defer fmt.Fprintln(p.out, "--"+f.name)
			}
		}
	}
}

// man prints the manual page.
func (p *program) man(c *call) error {
	if err := c.noMore(c.Args().Slice()); err != nil {
		return err
	}
	page, err := p.app().ToManWithSection(1)
	if err == nil {
		fmt.Fprint(p.out, page)
	}
	return err
}
