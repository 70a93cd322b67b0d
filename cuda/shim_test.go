//go:build cuda && cgo

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// stub is a driver that does not start, as CUDA's toolkits have one for linkers. It leaves a file when it is asked to.
const stub = `
#include <stdio.h>
#include <stdlib.h>
int cuInit(unsigned flags) { FILE *f = fopen(getenv("STUB_STARTED"), "w"); if (f) fclose(f); return 34; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDriverGetVersion(int *v) { *v = 12000; return 0; }
int cuGetErrorString(int code,
	const char **s) { *s = code == 34 ? "CUDA driver is a stub library" : "another"; return 0; }
`

// The driver is started when GPUs are first counted, not with the program; a driver that does not start gives the
// reason in its words.
func TestStubDriver(t *testing.T) {
	if started := os.Getenv("STUB_STARTED"); started != "" {
		if _, err := os.Stat(started); err == nil {
			t.Error("the driver is started with the program")
		}
		_, err := Devices()
		if err == nil || !strings.Contains(err.Error(), "CUDA driver is a stub library (cuInit answers 34)") {
			t.Errorf("a driver that does not start: %v", err)
		}
		if _, err := os.Stat(started); err != nil {
			t.Error(err)
		}
		return
	}
	folder := t.TempDir()
	source, library := filepath.Join(folder, "stub.c"), filepath.Join(folder, "libcuda.so.1")
	must.OK(t, os.WriteFile(source, []byte(stub), 0o666))
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Skipf("no C compiler: %v\n%s", err, out)
	}
	for name, environment := range map[string]string{"named": "GPDRF_CUDA_DRIVER=" + library,
		"found": "LD_LIBRARY_PATH=" + folder} {
		if _, err := os.Stat("/usr/local/nvidia/lib64/libcuda.so.1"); err == nil && name == "found" {
			continue // the search goes on to that one
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestStubDriver$", "-test.v")
		cmd.Env = append(os.Environ(), "GPDRF_CUDA_DRIVER=", "STUB_STARTED="+filepath.Join(folder, name), environment)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
