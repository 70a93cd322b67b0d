//go:build cuda && cgo

package cuda

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
	"testing/fstest"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
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

// carry puts machine code into the program for a test.
func carry(t *testing.T, code map[string]string) {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range code {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		must.OK(t, w.Close())
		files[name+".ptx.gz"] = &fstest.MapFile{Data: b.Bytes()}
	}
	before := carried
	carried = files
	t.Cleanup(func() { carried = before })
}

// Machine code is for the GPU's compute capability or an earlier one with the same major number.
func TestMachineCode(t *testing.T) {
	carry(t, nil)
	if tensorImage.machineCode(Capability{9, 0}) != nil {
		t.Error("there is machine code in a program without")
	}
	carry(t, map[string]string{"sm_80/kernels_sm80": "80", "sm_86/kernels_sm80": "86", "sm_90/kernels_sm90": "90"})
	for _, c := range []struct {
		image
		Capability
		want string
	}{
		{tensorImage, Capability{8, 0}, "80"}, {tensorImage, Capability{8, 6}, "86"},
		{tensorImage, Capability{8, 9}, "86"},
		{tensorImage, Capability{9, 0}, ""}, {largeDoubles, Capability{9, 0}, "90"},
		{plainImage, Capability{8, 6}, ""}, {largeDoubles, Capability{10, 0}, ""},
	} {
		if got := c.machineCode(c.Capability); string(got) != c.want {
			t.Errorf("%s for %v: %q, want %q", c.image, c.Capability, got, c.want)
		}
	}
}
