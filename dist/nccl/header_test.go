//go:build cuda && cgo

package nccl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The declarations of the package agree with NVIDIA's header, and the library has every function. The calls for the
// version and for an id need no GPU.
func TestHeader(t *testing.T) {
	folder := os.Getenv("NCCL")
	if folder == "" {
		t.Skip("NCCL is not the folder with NVIDIA's include and lib: make test-nccl")
	}
	stubs := t.TempDir() // stand-ins for the headers of the CUDA toolkit that it includes
	for name, text := range map[string]string{
		"cuda_runtime.h": "#include <stddef.h>\ntypedef struct CUstream_st *cudaStream_t;\n" +
			"typedef struct CUevent_st *cudaEvent_t;\n",
		"cuda_fp16.h": "",
	} {
		must.OK(t, os.WriteFile(filepath.Join(stubs, name), []byte(text), 0o666))
	}
	c := exec.Command("c++", "-std=c++17", "-fsyntax-only", "-I"+stubs, "-I"+filepath.Join(folder, "include"),
		"testdata/header.cc")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	said, codes := run(t, 1, "find", LibraryVariable+"="+filepath.Join(folder, "lib", "libnccl.so.2"))
	if codes[0] != 0 || !strings.HasPrefix(said[0], "NCCL 2.") {
		t.Errorf("exit code %d: %s", codes[0], said[0])
	}
}
