package tablefile

import (
	"strings"
	"testing"
)

// A program that does not link the library hears which import it lacks.
func TestNotLinked(t *testing.T) {
	if _, err := Linked(); err == nil || !strings.Contains(err.Error(), `import _ "github.com/gpdrf/gpdrf-gpu/data/columnar"`) {
		t.Error(err)
	}
}
