package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// serve answers each line of standard input with one of standard output, so that another program
// can take turns with this one. The first line names the measurement, and "step" asks for the
// milliseconds of a step in one round.
func (b *benchmark) serve(dev device.Device) error {
	step, err := workload.NewStep(dev, b.size)
	if err != nil {
		return usagef("%v", err)
	}
	fmt.Fprintf(b.out, "%s, %s: %s\n", dev.Name(), aboutDevice(dev.Name()), step.Size)
	rounds := workload.Rounds{Step: step}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() != "step" {
			return usagef("--serve: %q is not a request: write step", lines.Text())
		}
		t, err := rounds.Next()
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "%.6f %.9g\n", 1e3*t.Seconds(), rounds.ELBO)
	}
	return lines.Err()
}
