package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// peer is a process that times the work that a line of text requests: this program itself, or bench/peers/serve.py.
type peer struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
}

// cost is the time of one piece of work, in milliseconds.
type cost struct{ wall, processor float64 }

func startPeer(name string, environment []string, program string, args ...string) (*peer, error) {
	p := &peer{name: name, cmd: exec.Command(program, args...)}
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", program, err)
	}
	return p, nil
}

func (p *peer) ask(line string) (string, error) {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return "", fmt.Errorf("%s: %w", p.name, err)
	}
	if !p.out.Scan() {
		return "", fmt.Errorf("%s stopped at %q: %w", p.name, line, errors.Join(p.out.Err(), p.cmd.Wait()))
	}
	return p.out.Text(), nil
}

func (p *peer) time(line string) (c cost, err error) {
	text, err := p.ask(line)
	if err != nil {
		return c, err
	}
	if _, err := fmt.Sscan(text, &c.wall, &c.processor); err != nil {
		return c, fmt.Errorf("%s answers %q with %q", p.name, line, text)
	}
	return c, nil
}

// stop ends the process by the end of its input.
func (p *peer) stop() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }

// serve runs the loop of this program as a peer: it answers requests on standard input.
func serve(in io.Reader, out io.Writer) error {
	prepared := map[string]func(){}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		words := strings.Fields(line)
		reps := 1
		var err error
		if words[0] != "step" {
			_, err = fmt.Sscan(words[len(words)-1], &reps)
		}
		if err == nil && prepared[line] == nil {
			if prepared[line], err = work(words); err == nil {
				prepared[line]()
			}
		}
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		c := timed(prepared[line], reps)
		if _, err := fmt.Fprintf(out, "%.6f %.6f\n", c.wall, c.processor); err != nil {
			return err
		}
	}
	return lines.Err()
}
