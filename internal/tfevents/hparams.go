package tfevents

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Param is a hyper-parameter: a number, or else a text.
type Param struct {
	Name   string
	Text   string
	Number *float64
}

// Hyperparameters are the records that say which parameters led to which metrics. Metrics are the
// tags of scalars that stand in the same file. The run began at the first time and ended at the
// second.
func Hyperparameters(params []Param, metrics []string, began, ended time.Time) []byte {
	var experiment, start, end message
	for _, p := range params {
		var info, entry, value message
		info.text(1, p.Name)
		if p.Number != nil {
			info.number(4, numberType)
			value.double(2, *p.Number)
		} else {
			info.number(4, textType)
			value.text(3, p.Text)
		}
		experiment.bytes(4, info)
		entry.text(1, p.Name)
		entry.bytes(2, value)
		start.bytes(1, entry)
	}
	for _, tag := range metrics {
		var name, info message
		name.text(2, tag)
		info.bytes(1, name)
		experiment.bytes(5, info)
	}
	start.double(5, float64(began.UnixNano())/1e9)
	end.number(1, success)
	end.double(2, float64(ended.UnixNano())/1e9)
	return Summary(ended, 0, plugin("_hparams_/experiment", 2, experiment),
		plugin("_hparams_/session_start_info", 3, start), plugin("_hparams_/session_end_info", 4, end))
}

// Values of enumerations in TensorBoard's messages.
const (
	textType   = 1 // DATA_TYPE_STRING
	numberType = 3 // DATA_TYPE_FLOAT64
	success    = 1 // STATUS_SUCCESS
	tensors    = 2 // DATA_CLASS_TENSOR
	floats     = 1 // DT_FLOAT
)

// plugin is a value for TensorBoard's plugin hparams. Its content is one of the fields of
// HParamsPluginData; the value itself is a tensor that nobody reads.
func plugin(tag string, field protowire.Number, content message) Value {
	var of, data, metadata, tensor, m message
	of.bytes(field, content)
	data.text(1, "hparams")
	data.bytes(2, of)
	metadata.bytes(1, data)
	metadata.number(4, tensors)
	tensor.number(1, floats)
	tensor.bytes(2, nil)
	tensor.bytes(5, []byte{0, 0, 0, 0})
	m.text(1, tag)
	m.bytes(8, tensor)
	m.bytes(9, metadata)
	return Value(m)
}
