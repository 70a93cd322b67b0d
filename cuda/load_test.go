//go:build cuda && cgo

package cuda

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// start opens the first GPU with GPDRF_CUDA_IMAGE, and gives what it says before it does.
func start(t *testing.T, forced string) (c *Context, said []string, err error) {
	t.Helper()
	t.Setenv(imageVariable, forced)
	c, err = Open(0, func(line string) { said = append(said, line) })
	if err == nil {
		t.Cleanup(func() { must.OK(t, c.Close()) })
	}
	return c, said, err
}

// skipOthers skips a test that has machine code for 9.0, or PTX in its place.
func skipOthers(t *testing.T) {
	if is := open(t).Info().Capability; is != (Capability{9, 0}) {
		t.Skipf("the machine code of this test is for 9.0, and this GPU has %v", is)
	}
}

// Each value of GPDRF_CUDA_IMAGE loads its images and runs their kernels. PTX stands for machine code here.
func TestForcedImage(t *testing.T) {
	skipOthers(t)
	carry(t, map[string]string{"sm_90/kernels_sm70": plainImage.text() + "\x00",
		"sm_90/kernels_sm90": largeDoubles.text() + "\x00"})
	const code, text = "machine code for sm_90", "PTX that the driver compiles"
	for _, c := range []struct{ forced, says string }{
		{"", "kernels_sm70.ptx and kernels_sm90.ptx (tensor cores for doubles): " + code},
		{"70", "kernels_sm70.ptx (GPDRF_CUDA_IMAGE=70): " + code},
		{"80", "kernels_sm70.ptx and kernels_sm80.ptx (GPDRF_CUDA_IMAGE=80): " + code + ", and " + text},
		{"90", "kernels_sm70.ptx and kernels_sm90.ptx (GPDRF_CUDA_IMAGE=90): " + code},
		{"cubin", "kernels_sm70.ptx and kernels_sm90.ptx (GPDRF_CUDA_IMAGE=cubin): " + code},
		{"ptx", "kernels_sm70.ptx and kernels_sm90.ptx (GPDRF_CUDA_IMAGE=ptx): " + text},
	} {
		t.Run(c.forced, func(t *testing.T) {
			gpu, said, err := start(t, c.forced)
			must.OK(t, err)
			if gpu.Info().Kernels != c.says || (len(said) == 1) != strings.Contains(c.says, text) {
				t.Errorf("the kernels are %s, want %s\nsaid before: %q", gpu.Info().Kernels, c.says, said)
			}
			// [1 2; 3 4]·[5; 7], by the image that has the products
			a, b, got := put(t, gpu, []float64{1, 2, 3, 4}), put(t, gpu, []float64{5, 7}), make([]float64, 2)
			out := put(t, gpu, got)
			k := kernel(t, gpu, "gemm_nn_f64")
			one, none := Float64(1), Float64(0)
			must.OK(t, k.Launch(Grid{1, 1, 1}, 0, Int(0), Int(2), Int(1), Int(2), Int(1), one, none, Pointer(a), Int(2),
				Int(0), Int(0), Pointer(b), Int(1), Int(0), Int(0), Pointer(out), Int(1), Int(0), Pointer(0), none))
			if get(t, gpu, got, out); got[0] != 19 || got[1] != 43 {
				t.Errorf("a product of [19 43] is %v", got)
			}
		})
	}
}

// The kernels of TF32 come when they are asked for, and leave the products of doubles as they were chosen. They wait
// for the compiler, too.
func TestLoadTF32(t *testing.T) {
	c, said, err := start(t, "ptx")
	must.OK(t, err)
	is, _ := c.imageOf("gemm_nn_f64")
	has, err := c.LoadTF32()
	if must.OK(t, err); has == c.Info().Capability.less(tensorCores) || len(said) != 1 {
		t.Fatalf("a GPU of %v has TF32: %v; said %q", c.Info().Capability, has, said)
	}
	if now, _ := c.imageOf("gemm_nn_f64"); now != is {
		t.Errorf("products of doubles are those of %s, were those of %s", now.image, is.image)
	}
	if !has {
		t.Skip("before 8.0 there is no TF32")
	}
	kernel(t, c, "features_forward_tf32")
	loaded := len(c.images)
	if _, err := c.LoadTF32(); err != nil || len(c.images) != loaded {
		t.Errorf("%d images, were %d, %v", len(c.images), loaded, err)
	}
}

// A value that there is not, and machine code that there is not, are errors of the variable.
func TestForcedImageErrors(t *testing.T) {
	open(t)
	carry(t, nil)
	for forced, want := range map[string]string{
		"sm_90": "GPDRF_CUDA_IMAGE=sm_90: use 70, 80, 90, cubin or ptx",
		"cubin": "GPDRF_CUDA_IMAGE=cubin: the program has no machine code of kernels_sm",
	} {
		_, said, err := start(t, forced)
		if _, ok := errors.AsType[*SettingError](err); !ok || !strings.HasPrefix(err.Error(), want) || len(said) > 0 {
			t.Errorf("%v, want %s\nsaid: %q", err, want, said)
		}
	}
}

// Where the driver refuses machine code, its PTX is compiled, and the driver's reason is said before. Without PTX, the
// reason is the error.
func TestRefusedMachineCode(t *testing.T) {
	skipOthers(t)
	refused := "no machine code\x00"
	carry(t, map[string]string{"sm_90/kernels_sm70": refused, "sm_90/kernels_sm90": refused})
	c, said, err := start(t, "")
	must.OK(t, err)
	reason := "loading kernels_sm70.ptx for sm_90: CUDA error "
	if len(said) != 1 || !strings.Contains(said[0], "; it refuses the machine code: "+reason) {
		t.Errorf("said %q", said)
	}
	kernel(t, c, "gemm_nn_f64")
	if _, _, err := start(t, "cubin"); err == nil ||
		!strings.HasPrefix(err.Error(), "GPDRF_CUDA_IMAGE=cubin: "+reason) {
		t.Errorf("no error of the loader: %v", err)
	}
	l := &loader{choice: choice{assembly: true, ptx: true}, info: &c.info, say: quiet}
	must.OK(t, c.enter())
	defer c.leave()
	must.Get(l.assembled(plainImage))(t)
	_, err = l.compiled(plainImage, "no PTX .visible .entry a(", nil)
	if err == nil || strings.Count(err.Error(), "CUDA error") != 2 || !strings.Contains(err.Error(), reason) ||
		!strings.HasPrefix(err.Error(), "loading kernel a of kernels_sm70.ptx: ") {
		t.Errorf("neither loads: %v", err)
	}
}

// The check of a release asks for the words of the loader.
func TestWordsOfRelease(t *testing.T) {
	l := &loader{choice: choice{why: "why"}, names: []string{string(plainImage)}, forms: []string{compiledForm}}
	script, err := os.ReadFile("../internal/release/check.sh")
	if _, form, _ := strings.Cut(l.String(), "): "); err != nil || !strings.Contains(string(script), form+"$'") {
		t.Errorf("check.sh does not ask for %q: %v", form, err)
	}
}
