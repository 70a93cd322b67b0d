package train

import "github.com/gpdrf/gpdrf-gpu/model"

// current is a setting of a config file by the option that has it today, so that runs of before can be read and go on. A setting
// that no option has replaced stays as it is.
func current(s Setting) Setting {
	if s.Key == "antithetic" {
		switch s.Text {
		case "false":
			return Setting{"sampling", model.Independent, s.From}
		case "true":
			return Setting{"sampling", model.Antithetic, s.From}
		}
	}
	return s
}

// goOnWith settles what a run that goes on could not know when it began, an option that came later and whose default depends on the
// rows: the model is what it was.
func (c *Config) goOnWith(m *model.Config) {
	if !c.Explicit("class-offsets") {
		c.ClassOffsets, c.explicit["class-offsets"] = m.ClassOffsets, CheckpointFile
	}
}
