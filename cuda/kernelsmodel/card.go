package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// card is what the model knows of a GPU: NVIDIA's tables of arithmetic throughput by compute
// capability, and data sheets.
type card struct {
	name, arch      string
	image, doubles  string // the PTX with all kernels, and the one with better products of doubles
	multiprocessors int
	shared, threads int // of a multiprocessor: bytes of shared memory, resident threads
	blocks          int // resident blocks
	fp32, alu, fp64 float64
	dmma            float64 // products and sums of doubles on tensor cores
	l2              float64 // TB/s of the second level of cache, as others have measured it
}

// Lanes a cycle and multiprocessor. A warp's instruction needs 32.
var cards = []card{
	{name: "A100", arch: "sm_80", image: "80", multiprocessors: 108,
		shared: 164 << 10, threads: 2048, blocks: 32, fp32: 64, alu: 64, fp64: 32, dmma: 64, l2: 4.5},
	{name: "RTX 4090", arch: "sm_89", image: "80", doubles: "86", multiprocessors: 128,
		shared: 100 << 10, threads: 1536, blocks: 24, fp32: 128, alu: 64, fp64: 2, l2: 4.5},
	{name: "H200", arch: "sm_90", image: "80", doubles: "90", multiprocessors: 132,
		shared: 228 << 10, threads: 2048, blocks: 32, fp32: 128, alu: 64, fp64: 64, dmma: 128, l2: 5.5},
	{name: "RTX 5090", arch: "sm_120", image: "80", doubles: "86", multiprocessors: 170,
		shared: 100 << 10, threads: 1536, blocks: 24, fp32: 128, alu: 64, fp64: 2, l2: 6},
}

func (c card) peak() *workload.Peak { return workload.PeakOf(c.name) }

// clock is cycles a second, which follows from the rate of FP32.
func (c card) clock() float64 {
	return c.peak().FP32 * 1e12 / (2 * c.fp32 * float64(c.multiprocessors))
}

// unit is what executes an instruction.
type unit string

const (
	fp32Unit   unit = "FP32"
	fp64Unit   unit = "FP64"
	tensorUnit unit = "tensor"
	aluUnit    unit = "ALU"
	xuUnit     unit = "XU"
	lsuUnit    unit = "LSU"
	noUnit     unit = "issue" // branches and the like
)

// unitOf is the unit of an instruction, and for how many cycles it has it, of a multiprocessor: a
// warp issues one in ¼ cycle at best. Memory takes a cycle for 32 bits of each lane. Reads of
// shared memory by 128 bits take half of that where each of two neighbours reads the same, as in
// the products of features_tile.cuh.
func (c card) unitOf(i instruction) (unit, float64) {
	switch i.op {
	case "FFMA", "FADD", "FMUL", "FSEL", "FSETP", "FSET", "FMNMX", "FCHK", "HFMA2", "FFMA2", "FADD2", "FMUL2":
		return fp32Unit, 32 / c.fp32
	case "IMAD", "IDP":
		return fp32Unit, 32 / min(64, c.fp32)
	case "DFMA", "DADD", "DMUL", "DSETP", "DMNMX":
		return fp64Unit, 32 / c.fp64
	case "DMMA":
		switch {
		case strings.Contains(i.full, "16") && c.dmma > 64: // 16×8×4
			return tensorUnit, 512 / c.dmma
		case c.dmma > 0: // 8×8×4, at half the rate where the other is
			return tensorUnit, 256 / min(64, c.dmma)
		}
		return tensorUnit, 256 / 2
	case "HMMA":
		return tensorUnit, 4
	case "MUFU", "F2F", "F2I", "I2F", "F2FP", "POPC", "FLO", "FRND":
		return xuUnit, 2
	case "LDS", "LDG", "STS", "STG", "LDL", "STL", "LD", "ST", "SHFL", "ATOMS", "RED", "LDC", "LDSM":
		wide := 1.0
		switch {
		case strings.Contains(i.full, ".128"):
			wide = 4
			if i.paired {
				wide = 2
			}
		case strings.Contains(i.full, ".64"):
			wide = 2
		}
		return lsuUnit, wide
	case "BRA", "BSSY", "BSYNC", "BAR", "EXIT", "NOP", "WARPSYNC", "CALL", "RET",
		"DEPBAR", "ERRBAR", "MEMBAR", "YIELD", "BREAK":
		return noUnit, 0.25
	}
	return aluUnit, 32 / c.alu
}

// latency is after how many cycles a result is there whose time the assembler does not know.
func (c card) latency(i instruction) int {
	switch i.op {
	case "LDG", "LD":
		return 500 // between the second level of cache, 270, and memory, 700
	case "LDS", "SHFL", "LDSM", "ATOMS":
		return 30
	case "DFMA", "DADD", "DMUL", "DSETP":
		if c.fp64 >= 32 {
			return 12 // the assembler knows 8 on 9.0, and says nothing on 8.0
		}
		return 48 // where there are few units
	case "DMMA", "HMMA":
		return 35
	case "STS", "STG", "ST":
		return 10 // until its operands are read
	}
	return 25
}

// resident is how many blocks of a kernel share a multiprocessor.
func (c card) resident(r resources, dynamic int) int {
	warps := (r.threads + 31) / 32
	registers := (r.registers + 7) / 8 * 8 * 32 * warps
	if warps == 0 {
		return 1 // no kernel, but memory that is cleared
	}
	fit := min(c.blocks, c.threads/(32*warps), 65536/max(registers, 1))
	return max(1, min(fit, c.shared/(r.shared+dynamic+1024)))
}

// resources are what a block of a kernel needs.
type resources struct{ threads, registers, shared int }
