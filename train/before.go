package train

import (
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// current is a setting of a config file by the option that has it today, so that older runs can be
// read and go on. A setting that no option has replaced stays as it is.
func current(s Setting) Setting {
	if pairs, err := strconv.ParseBool(s.Text); s.Key == "antithetic" && err == nil {
		s.Key, s.Text = "sampling", model.Independent
		if pairs {
			s.Text = model.Antithetic
		}
	}
	return s
}

// goOnWith settles what a run that goes on could not know when it began, an option that came later
// and whose default depends on the rows: the model is what it was.
func (c *Config) goOnWith(m *model.Config) {
	if !c.Explicit("class-offsets") {
		c.ClassOffsets, c.explicit["class-offsets"] = m.ClassOffsets, CheckpointFile
	}
}
