//go:build cuda && cgo

package cuda

import (
	"os"
	"testing"
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
