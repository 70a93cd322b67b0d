package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"golang.org/x/term"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// console is where a command prints. Results go to out; notes, progress and errors go to err.
type console struct {
	out, err io.Writer
	terminal bool // err is a terminal that can show a bar
	quiet    bool // no notes and no progress
	json     bool // results are JSON

	above atomic.Pointer[mpb.Progress] // writes above the bar that is drawn; nil without a bar
}

// hasRoomForBar reports whether there is a terminal, and room for a bar in it. Some terminals report no rows.
func hasRoomForBar(fd int) bool {
	width, height, err := term.GetSize(fd)
	return err == nil && width > 0 && height > 0
}

// note prints a line for the user, but not with --quiet.
func (c *console) note(format string, args ...any) {
	if !c.quiet {
		c.printAboveBar(fmt.Sprintf(format, args...))
	}
}

// warn prints a warning, also with --quiet.
func (c *console) warn(format string, args ...any) {
	c.printAboveBar("warning: " + fmt.Sprintf(format, args...))
}

// relay prints a line of another package, whose warnings are known by their first word.
func (c *console) relay(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if !c.quiet || strings.HasPrefix(line, "warning") {
		c.printAboveBar(line)
	}
}

func (c *console) printAboveBar(line string) {
	line += "\n"
	if group := c.above.Load(); group != nil {
		if _, err := io.WriteString(group, line); err == nil { // an error means that the bar has ended meanwhile
			return
		}
	}
	io.WriteString(c.err, line)
}

// relayAll prints lines of another package.
func (c *console) relayAll(lines []string) {
	for _, line := range lines {
		c.relay("%s", line)
	}
}

// warnAll prints a line for each warning.
func (c *console) warnAll(warnings []string) {
	for _, w := range warnings {
		c.warn("%s", w)
	}
}

// printLine prints a line, also with --quiet: it tells what became of the results.
func (c *console) printLine(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

// description is the output of a command: lines for people, or JSON.
type description interface{ Lines() []string }

// show prints a description for people, or as JSON.
func (c *console) show(about description) error {
	if !c.json {
		fmt.Fprintln(c.out, strings.Join(about.Lines(), "\n"))
		return nil
	}
	return c.printJSON(about)
}

func (c *console) printJSON(v any) error { return atomicfile.JSON(v)(c.out) }
