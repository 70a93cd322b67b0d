package options

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The folder of a named set is part of the written config, which repeats the run with any GPDRF_DATA.
func TestConfigKeepsDataDir(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		must.OK(t, os.Mkdir(filepath.Join(dir, "protein"), 0o777))
		// the content tells that it is not compressed
		for _, name := range []string{"fold1.train.csv.gz", "fold1.test.csv.gz"} {
			text := "a,target\n1,0.5\n2,1.5\n" + strings.Repeat("3,2.5\n", i)
			must.OK(t, os.WriteFile(filepath.Join(dir, "protein", name), []byte(text), 0o666))
		}
	}
	for i, then := range dirs {
		t.Setenv(data.DataDirEnv, then)
		c := mustResolve(t, nil, flags("--data", "protein"))
		c, rows, _, _, err := c.Load(nil, data.ReadControl{})
		if err != nil || rows.N() != 2+i || c.DataDir != then {
			t.Fatalf("GPDRF_DATA=%s: %v from %q, %v", then, rows, c.DataDir, err)
		}
		written := mustParse(t, string(c.YAML()))
		for _, now := range append(dirs, "") {
			t.Setenv(data.DataDirEnv, now)
			_, again, _, _, err := mustResolve(t, written, nil).Load(nil, data.ReadControl{})
			if err != nil || again.Fingerprint != rows.Fingerprint {
				t.Errorf("written with GPDRF_DATA=%s, repeated with %s: other rows, %v", then, now, err)
			}
		}
	}
}
