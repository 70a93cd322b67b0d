//go:build cuda && cgo

package cuda

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
	"testing/fstest"
)

// The PTX in the program is the text beside it.
func TestPackedPTX(t *testing.T) {
	for _, image := range images() {
		plain, err := os.ReadFile(string(image))
		if err != nil || string(plain) != image.text() {
			t.Errorf("cuda/%s is not what is packed in cuda/%s.gz: run `make double` (%v)", image, image, err)
		}
	}
}

// Machine code is for the GPU's compute capability or an earlier one with the same major number,
// and where the driver refuses it, the PTX is compiled. PTX stands for machine code here.
func TestMachineCode(t *testing.T) {
	pack := func(code string) *fstest.MapFile {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(code))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &fstest.MapFile{Data: b.Bytes()}
	}
	defer func() { carried = nil }()
	if carried != nil || tensorImage.machineCode(Capability{9, 0}) != nil {
		t.Fatal("this program carries machine code")
	}
	carried = fstest.MapFS{
		"sm_80/kernels_sm80.ptx.gz": pack("80"), "sm_86/kernels_sm80.ptx.gz": pack("86"), "sm_90/kernels_sm90.ptx.gz": pack("90"),
	}
	for _, c := range []struct {
		image
		Capability
		want string
	}{
		{tensorImage, Capability{8, 0}, "80"}, {tensorImage, Capability{8, 6}, "86"}, {tensorImage, Capability{8, 9}, "86"},
		{tensorImage, Capability{9, 0}, ""}, {largeDoubles, Capability{9, 0}, "90"}, {plainDoubles, Capability{8, 6}, ""}, {largeDoubles, Capability{10, 0}, ""},
	} {
		if got := c.machineCode(c.Capability); string(got) != c.want {
			t.Errorf("%s for %v: %q, want %q", c.image, c.Capability, got, c.want)
		}
	}
	for name, code := range map[string]string{"machine code": tensorImage.text() + "\x00", "refused": "no machine code\x00"} {
		carried = fstest.MapFS{"sm_90/kernels_sm80.ptx.gz": pack(code), "sm_90/kernels_sm90.ptx.gz": pack(largeDoubles.text() + "\x00")}
		c, err := Open(0)
		if err != nil {
			if os.Getenv("REQUIRE_CUDA") != "" {
				t.Fatalf("%s: %v", name, err)
			}
			t.Skip(err)
		}
		c.Kernel("gemm_nn_f64")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
