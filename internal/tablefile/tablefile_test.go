package tablefile

import (
	"strings"
	"testing"
)

// A program that does not link the library hears which import it lacks.
func TestNotLinked(t *testing.T) {
	const want = `import _ "github.com/gpdrf/gpdrf-gpu/data/columnar"`
	if _, err := Linked(); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
