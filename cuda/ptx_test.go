package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// plain returns the text of an image.
func plain(t *testing.T, i image) string {
	t.Helper()
	return string(must.Get(os.ReadFile(string(i)))(t))
}

// The PTX is compiled from the sources: its first line carries their hash.
func TestPTXIsFresh(t *testing.T) {
	families, err := filepath.Glob("kernels/*.cuh")
	if err != nil || len(families) < 10 {
		t.Fatalf("%d files in cuda/kernels, %v", len(families), err)
	}
	slices.Sort(families)
	hash := sha256.New()
	for _, name := range append([]string{"../kernels.cu"}, families...) {
		hash.Write(must.Get(os.ReadFile(name))(t))
	}
	want := fmt.Sprintf("// sha256 %x of kernels.cu and cuda/kernels/*.cuh", hash.Sum(nil))
	for _, image := range images() {
		if got, _, _ := strings.Cut(plain(t, image), "\n"); got != want {
			t.Errorf("cuda/%s is stale: run `make ptx`\n got %s\nwant %s", image, got, want)
		}
	}
}

// Every family of kernels is in the table of contents.
func TestTableOfContents(t *testing.T) {
	contents := must.Get(os.ReadFile("../kernels.cu"))(t)
	families, _ := filepath.Glob("kernels/*.cuh")
	for _, name := range families {
		if name == "kernels/clang.cuh" { // included by device.cuh, for one compiler
			continue
		}
		if !strings.Contains(string(contents), `#include "cuda/`+filepath.ToSlash(name)+`"`) {
			t.Errorf("kernels.cu does not include cuda/%s", name)
		}
	}
}

func TestSignatures(t *testing.T) {
	for _, image := range images() {
		all := must.Get(Signatures(plain(t, image)))(t)
		for name, s := range all {
			if s.Threads%32 != 0 || s.Threads > 1024 || len(s.Params) > maxParams {
				t.Errorf("kernel %s has %d threads and %d parameters", name, s.Threads, len(s.Params))
			}
		}
		if _, ok := all["gemm_nn_f64"]; !ok {
			t.Errorf("%s has no products of doubles", image)
		}
		if is := all["ard_isotropic_f64"].Blocks; is != 2 {
			t.Errorf("%s: %d blocks of ard_isotropic_f64 share a multiprocessor, want 2", image, is)
		}
		if image != plainImage {
			continue
		}
		widen := all["widen_f32"]
		if widen.Threads != 256 || !slices.Equal(widen.Params, []Kind{U32, U64, U64}) {
			t.Errorf("kernel widen_f32 is read as %v", widen)
		}
	}
	for _, bad := range []string{"", ".entry a(.param .u16 x) .maxntid 32 {", ".entry a(.param .u32 x) {",
		".entry a(.param .u32 x) .maxntid 32"} {
		if all, err := Signatures(bad); err == nil {
			t.Errorf("%q is read as %v", bad, all)
		}
	}
}

// The parts of an image have its kernels, each once and with all of its text. Kernels that read what set_live writes
// are in its part, whose variable is theirs.
func TestParts(t *testing.T) {
	for _, image := range images() {
		text := plain(t, image)
		whole := must.Get(Signatures(text))(t)
		head := strings.Index(text, ".visible .entry ")
		sum, seen, live := head, map[string]bool{}, 0
		for _, p := range parts(text) {
			kernels, err := Signatures(p.text)
			if err != nil || len(kernels) != len(p.kernels) || p.text[:head] != text[:head] {
				t.Fatalf("%s: a part of %q: %v", image, p.kernels, err)
			}
			for name := range kernels {
				if !slices.Contains(p.kernels, name) || seen[name] ||
					len(whole[name].Params) != len(kernels[name].Params) {
					t.Errorf("%s: %s is in a part of %q, or in two", image, name, p.kernels)
				}
				seen[name] = true
			}
			if sum += len(p.text) - head; regexp.MustCompile(`\blive\b`).MatchString(p.text[head:]) {
				live++
			}
		}
		if len(seen) != len(whole) || sum != len(text) || live > 1 || (image == plainImage) != (live == 1) {
			t.Errorf("%s: parts of %d of %d kernels with %d of %d bytes, and %d with live", image, len(seen),
				len(whole), sum, len(text), live)
		}
	}
}

func TestFewDoubles(t *testing.T) {
	for c, want := range map[Capability]bool{
		{7, 0}: false, {7, 5}: true, {8, 0}: false, {8, 6}: true, {8, 9}: true, {9, 0}: false, {10, 0}: false,
		{10, 3}: true, {11, 0}: true, {12, 0}: true, {12, 1}: true,
	} {
		if c.fewDoubles() != want {
			t.Errorf("%v has few units for doubles: %v", c, !want)
		}
	}
}

func TestChoose(t *testing.T) {
	for c, want := range map[Capability]image{
		{7, 0}: "", {7, 5}: "", {8, 0}: tensorImage, {8, 6}: "", {8, 9}: "", {9, 0}: largeDoubles,
		{10, 0}: largeDoubles,
		{10, 3}: "", {12, 1}: "",
	} {
		if got, err := choose(c, ""); got.doubles != want || err != nil {
			t.Errorf("compute capability %v: %q, want %q, %v", c, got.doubles, want, err)
		}
	}
	if _, err := choose(Capability{6, 1}, ""); err == nil {
		t.Error("compute capability 6.1 is new enough")
	}
	for forced, want := range map[string]string{
		"90": "GPDRF_CUDA_IMAGE=90: kernels_sm90.ptx needs compute capability 9.0, and this GPU has 8.0",
		"75": "GPDRF_CUDA_IMAGE=75: use 70, 80, 90, cubin or ptx",
	} {
		if _, err := choose(Capability{8, 0}, forced); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
