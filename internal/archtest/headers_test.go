package archtest

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

var (
	kernelMade = regexp.MustCompile(`(?m)^(?:REAL|DOUBLE|PLAIN|TILE|GEMM|BOUNDED)_KERNEL\((?:true, |false, )?(?:\w+, ` +
		`)*?([a-z]\w*?)(?:_f64)?,`)
	comments = regexp.MustCompile(`(?m)(?:^//.*\n)+`)
	grid     = regexp.MustCompile(`\b[Gg]rid\b`)
	goFile   = regexp.MustCompile(`\b(?:device/cpu|internal)/[\w/]+\.go\b`)
)

// The comment of each kernel names its grid. The comment of each file of kernels names the file of its CPU twin.
func TestKernelHeaders(t *testing.T) {
	files := must.Get(fs.Glob(os.DirFS(root), "cuda/kernels/*.cuh"))(t)
	kernels := 0
	for _, file := range files {
		text := read(t, file)
		made := kernelMade.FindAllStringSubmatch(text, -1)
		if len(made) == 0 {
			continue
		}
		blocks := comments.FindAllString(text, -1)
		all := strings.Join(blocks, "")
		twins := goFile.FindAllString(all, -1)
		if len(twins) == 0 && !strings.Contains(all, "No CPU twin") {
			t.Errorf("%s names no CPU twin", file)
		}
		for _, twin := range twins {
			if _, err := fs.Stat(os.DirFS(root), twin); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		for _, kernel := range made {
			kernels++
			name, found := regexp.MustCompile(`\b`+kernel[1]+`\b`), false
			for _, block := range blocks {
				found = found || name.MatchString(block) && grid.MatchString(block)
			}
			if !found {
				t.Errorf("%s: no comment names %s and its grid", file, kernel[1])
			}
		}
	}
	if kernels < 50 {
		t.Errorf("only %d kernels found", kernels)
	}
}
