package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/onnx"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func (p *program) exportVerb() verb {
	return verb{
		name: "export", args: "RUN", line: "write a model as an ONNX file", run: p.export,
		about: "Programs that run ONNX files predict with it, without this program or Python. Inputs are the columns " +
			"of a table, in their own units. Outputs are mean and sd, or label and probabilities, as by predict. " +
			"Models of sequences, graphs or --gram cannot be exported. docs/export.md has the details.",
		flags: []flagSpec{
			{group: "Output", name: "onnx", arg: "FILE.onnx", help: "where to write"},
			samplesFlag,
		},
		examples: []example{
			{"gpdrf-gpu export runs/powerplant-gpdrf-1 --onnx power.onnx", "a run"},
			{"gpdrf-gpu export model.safetensors --onnx model.onnx --samples 20", "a model file, with fewer samples"},
		},
	}
}

// export writes a model as an ONNX file.
func (p *program) export(c *call) error {
	guard := p.newExitGuard(p.ctx, p.nothingWritten)
	path, err := c.argument()
	if err != nil {
		return err
	}
	out, ok := c.text("onnx")
	switch {
	case !ok:
		return usagef("export needs --onnx FILE.onnx")
	case filepath.Ext(out) != ".onnx":
		return usagef("--onnx: %q does not end in .onnx", out)
	}
	run, err := p.openModel(path)
	if err != nil {
		return err
	}
	samples := c.count("samples", 1, options.MaxSamples, run.Trained.EvalSamples)
	if c.err != nil {
		return c.err
	}
	dev, err := device.Open("cpu:f64")
	if err != nil {
		return err
	}
	defer dev.Close()
	file, err := onnx.New(run.Trained, dev, samples)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = guard.write(func() error {
		return atomicfile.WriteFile(out, func(w io.Writer) error { return file.Write(w, version.Number) })
	})
	if err != nil {
		return err
	}
	p.printLine("model: %s", out)
	return nil
}
