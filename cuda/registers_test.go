package cuda

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// blockRegisters returns the number that a block takes of the 65,536 registers of a multiprocessor: a warp gets them by
// 256.
func blockRegisters(threads, each int) int { return threads / 32 * ((32*each + 255) / 256 * 256) }

// cuda/registers.txt is of this PTX and has each kernel of each image. As many blocks as the source states, at least
// one, have their registers in a multiprocessor of each architecture.
func TestRegisters(t *testing.T) {
	text := must.Get(os.ReadFile("registers.txt"))(t)
	head, table, _ := strings.Cut(string(text), "\n")
	if want, _, _ := strings.Cut(plain(t, plainImage), "\n"); head != want {
		t.Errorf("cuda/registers.txt is stale: run `make registers`\n got %s\nwant %s", head, want)
	}
	rows := map[string][]string{}
	for _, row := range strings.Split(table, "\n") {
		if words := strings.Fields(row); len(words) > 2 {
			rows[words[0]+" "+words[1]] = words[2:]
		}
	}
	for _, image := range images() {
		signatures := must.Get(Signatures(plain(t, image)))(t)
		for name, s := range signatures {
			c := image.capability()
			row := rows[strconv.Itoa(10*c.Major+c.Minor)+" "+name]
			if len(row) == 0 {
				t.Errorf("cuda/registers.txt lacks %s of %s", name, image)
			}
			for i := 0; i+1 < len(row); i += 2 {
				each, err := strconv.Atoi(row[i+1])
				if err != nil || each < 1 || max(1, s.Blocks)*blockRegisters(s.Threads, each) > 65536 {
					t.Errorf("%s of %s on %s: %d blocks of %d threads with %s registers each",
						name, image, row[i], max(1, s.Blocks), s.Threads, row[i+1])
				}
			}
		}
	}
}
