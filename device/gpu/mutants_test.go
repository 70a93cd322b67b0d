//go:build cuda && cgo

package gpu

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// mutant is a kernel of the committed PTX with a fault, as cuda/ptx2cc lists it.
type mutant struct{ number, image, kernel, tests, change string }

// readMutants are those of a folder's mutants_sm*.tsv.
func readMutants(t *testing.T, folder string) (all []mutant) {
	for _, image := range []string{"70", "80", "90"} {
		text, err := os.ReadFile(path.Join(folder, "mutants_sm"+image+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			all = append(all, mutant{f[0], f[1], f[2], f[3], f[4]})
		}
	}
	return all
}

// again runs tests of this program with the double as a GPU of an image.
func again(image, tests string, environment ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run="+tests, "-test.failfast", "-test.v")
	cmd.Env = append(os.Environ(), "EMU_CAPABILITY="+map[string]string{"70": "7.0", "80": "8.0", "90": "9.0"}[image], "PTX_MUTANTS=")
	cmd.Env = append(cmd.Env, environment...)
	return cmd.CombinedOutput()
}

// everything is the tests that compare what kernels compute.
const everything = "^Test(F64|F32|TF32|3xTF32|Fold|Gemm|Feature|Potrf)"

// uses are the tests that launch each kernel, as patterns of -test.run, each of one or more
// operations of a test.
func uses(t *testing.T, image string) map[string][]string {
	out, err := again(image, everything, "EMU_KERNELS=1")
	if err != nil {
		t.Fatalf("without a fault: %v\n%s", err, out[max(0, len(out)-2000):])
	}
	operations := map[string]map[string][]string{} // by kernel and test
	test := ""
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "=== RUN   "); ok {
			test = name
		} else if kernel, ok := strings.CutPrefix(lines.Text(), "double: launches "); ok {
			if operations[kernel] == nil {
				operations[kernel] = map[string][]string{}
			}
			parts := strings.SplitN(test+"/", "/", 3)
			if operation := regexp.QuoteMeta(parts[1]); !slices.Contains(operations[kernel][parts[0]], operation) {
				operations[kernel][parts[0]] = append(operations[kernel][parts[0]], operation)
			}
		}
	}
	patterns := map[string][]string{}
	for kernel, tests := range operations {
		for _, test := range slices.Sorted(maps.Keys(tests)) {
			patterns[kernel] = append(patterns[kernel], "^"+test+"$/^("+strings.Join(tests[test], "|")+")$")
		}
	}
	return patterns
}

// Every fault of cuda/mutants.txt fails a test. PTX_MUTANTS is the folder of the lists, and
// MUTANTS, if it is set, a regular expression for those that are tried.
func TestPTXMutants(t *testing.T) {
	folder := os.Getenv("PTX_MUTANTS")
	if folder == "" {
		t.Skip("PTX_MUTANTS is not set: make mutants-ptx")
	}
	chosen, err := regexp.Compile(os.Getenv("MUTANTS"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string][]string{}
	tried := 0
	for _, m := range readMutants(t, folder) {
		name := fmt.Sprintf("%s %s line %s", m.number, m.kernel, m.change)
		if !chosen.MatchString(name + " " + m.tests) {
			continue
		}
		tried++
		if m.tests == "ptx2cc" {
			t.Logf("%s: found by the translator", name)
			continue
		}
		if strings.HasPrefix(m.kernel, "probe_") {
			t.Logf("%s: for the tests of package cuda alone", name)
			continue
		}
		tests := []string{m.tests}
		if m.tests == "-" {
			if known[m.image] == nil {
				known[m.image] = uses(t, m.image)
			}
			tests = known[m.image][m.kernel]
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, test := range tests {
				out, err := again(m.image, test, "EMU_MUTANT="+m.number)
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				if bytes.Contains(out, []byte("no tests to run")) {
					t.Fatalf("there is no test %s", test)
				}
				if err != nil {
					t.Logf("found by %s: %s", test, why(out))
					return
				}
			}
			t.Errorf("no test finds it: %s", strings.Join(tests, ", "))
		})
	}
	if t.Logf("%d mutants", tried); tried == 0 {
		t.Error("none of them")
	}
}

// why is the line of an output that says most of a failure.
func why(out []byte) string {
	for _, sign := range []string{"double: kernel", ".go:", "panic"} {
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return "it ended"
}
