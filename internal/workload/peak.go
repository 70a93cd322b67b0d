package workload

import (
	"fmt"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Peak holds the peak rates of a GPU from its data sheet: TFLOP/s by unit, without sparsity, and
// GB/s.
type Peak struct {
	FP32 float64 `json:"FP32_TFLOPs"`
	FP64 float64 `json:"FP64_TFLOPs"`
	TF32 float64 `json:"TF32_TFLOPs,omitempty"` // tensor cores; 0: it has none for this
	DMMA float64 `json:"DMMA_TFLOPs,omitempty"` // double on tensor cores
	GBs  float64 `json:"bandwidth_GBs"`
}

// peaks are data sheets by a part of a GPU's name. The first that fits counts, so special names
// stand before general ones.
var peaks = []struct {
	name string
	Peak
}{
	{"GB200", Peak{FP32: 80, FP64: 40, TF32: 1250, DMMA: 40, GBs: 8000}},
	{"B200", Peak{FP32: 75, FP64: 37, TF32: 1125, DMMA: 37, GBs: 8000}},
	{"GH200 480GB", Peak{FP32: 66.9, FP64: 33.5, TF32: 494.7, DMMA: 66.9, GBs: 4000}},
	{"GH200", Peak{FP32: 66.9, FP64: 33.5, TF32: 494.7, DMMA: 66.9, GBs: 4900}},
	{"H200", Peak{FP32: 66.9, FP64: 33.5, TF32: 494.7, DMMA: 66.9, GBs: 4800}},
	{"H100 PCIe", Peak{FP32: 51.2, FP64: 25.6, TF32: 378, DMMA: 51.2, GBs: 2000}},
	{"H100 NVL", Peak{FP32: 60, FP64: 30, TF32: 417.5, DMMA: 60, GBs: 3900}},
	{"H100", Peak{FP32: 66.9, FP64: 33.5, TF32: 494.7, DMMA: 66.9, GBs: 3350}},
	{"A100-SXM4-40GB", Peak{FP32: 19.5, FP64: 9.7, TF32: 156, DMMA: 19.5, GBs: 1555}},
	{"A100-PCIE-40GB", Peak{FP32: 19.5, FP64: 9.7, TF32: 156, DMMA: 19.5, GBs: 1555}},
	{"A100 80GB PCIe", Peak{FP32: 19.5, FP64: 9.7, TF32: 156, DMMA: 19.5, GBs: 1935}},
	{"A100", Peak{FP32: 19.5, FP64: 9.7, TF32: 156, DMMA: 19.5, GBs: 2039}},
	{"V100", Peak{FP32: 15.7, FP64: 7.8, GBs: 900}},
	{"L40S", Peak{FP32: 91.6, FP64: 1.43, TF32: 183, GBs: 864}},
	{"L4", Peak{FP32: 30.3, FP64: 0.47, TF32: 60, GBs: 300}},
	{"RTX 5090", Peak{FP32: 104.8, FP64: 1.64, TF32: 104.8, GBs: 1792}},
	{"RTX 4090", Peak{FP32: 82.6, FP64: 1.29, TF32: 82.6, GBs: 1008}},
	{"RTX 3090", Peak{FP32: 35.6, FP64: 0.556, TF32: 35.6, GBs: 936}},
	{"T4", Peak{FP32: 8.1, FP64: 0.253, GBs: 320}},
}

// PeakOf is the peak of a GPU by its driver's name for it, and nil for a name not in the table. A
// processor is not in it: its peak depends on clocks and memory that this program cannot read.
func PeakOf(about string) *Peak {
	name, _, _ := strings.Cut(about, ",")
	for i := range peaks {
		if at := strings.Index(name, peaks[i].name); at >= 0 && ends(name[at+len(peaks[i].name):]) {
			return &peaks[i].Peak
		}
	}
	return nil
}

// ends reports whether a name ends here: "L4" is not in "L40".
func ends(rest string) bool {
	return rest == "" || rest[0] < '0' || rest[0] > '9' && (rest[0] < 'A' || rest[0] > 'Z')
}

// Floor is the least time that a cost takes at the peak, and the unit that is busy for so long:
// double on DMMA where the GPU has it, Real on FP32, or on tensor cores with the precisions that
// use them.
func (p *Peak) Floor(c Cost, precision string) (time.Duration, string) {
	double, doubleUnit := p.FP64, "FP64"
	if p.DMMA > 0 {
		double, doubleUnit = p.DMMA, "DMMA"
	}
	real, realUnit := p.FP32, "FP32"
	switch {
	case precision == "f64":
		real, realUnit = double, doubleUnit
	case precision == "tf32" && p.TF32 > 0:
		real, realUnit = p.TF32, "TF32"
	case precision == "3xtf32" && p.TF32 > 0:
		real, realUnit = p.TF32/3, "TF32"
	}
	seconds, unit := c.Bytes/(p.GBs*1e9), "bandwidth"
	if s := c.Real / (real * 1e12); s > seconds {
		seconds, unit = s, realUnit
	}
	if s := c.Double / (double * 1e12); s > seconds {
		seconds, unit = s, doubleUnit
	}
	return time.Duration(seconds * float64(time.Second)), unit
}

// real is the type in which products of Real tensors are computed: the suffix of the device's name,
// "f32" for "cuda:0:f32", or the type of its precision.
func (m Machine) real() string {
	switch m.Precision {
	case device.High:
		return "3xtf32"
	case device.Medium:
		return "tf32"
	}
	return m.Device.Name()[strings.LastIndex(m.Device.Name(), ":")+1:]
}

// String is for people.
func (p *Peak) String() string {
	text := fmt.Sprintf("FP32 %g, FP64 %g", p.FP32, p.FP64)
	if p.DMMA > 0 {
		text += fmt.Sprintf(", DMMA %g", p.DMMA)
	}
	if p.TF32 > 0 {
		text += fmt.Sprintf(", TF32 %g", p.TF32)
	}
	return text + fmt.Sprintf(" TFLOP/s, %g GB/s", p.GBs)
}
