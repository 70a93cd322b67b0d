package tfevents

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// Param is a hyper-parameter: a number, or else a text.
type Param struct {
	Name   string
	Text   string
	Number *float64
}

// Hyperparameters returns the records that say which parameters led to which metrics. Metrics are the
// tags of scalars that stand in the same file. The run began at the first time and ended at the
// second.
func Hyperparameters(params []Param, metrics []string, began, ended time.Time) []byte {
	var experiment, start, end wire.Message
	for _, p := range params {
		var info, entry, value wire.Message
		info.Text(1, p.Name)
		if p.Number != nil {
			info.Number(4, numberType)
			value.Double(2, *p.Number)
		} else {
			info.Number(4, textType)
			value.Text(3, p.Text)
		}
		experiment.Bytes(4, info)
		entry.Text(1, p.Name)
		entry.Bytes(2, value)
		start.Bytes(1, entry)
	}
	for _, tag := range metrics {
		var name, info wire.Message
		name.Text(2, tag)
		info.Bytes(1, name)
		experiment.Bytes(5, info)
	}
	start.Double(5, float64(began.UnixNano())/1e9)
	end.Number(1, success)
	end.Double(2, float64(ended.UnixNano())/1e9)
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

// plugin returns a value for TensorBoard's plugin hparams. Its content is one of the fields of
// HParamsPluginData; the value itself is a tensor that nobody reads.
func plugin(tag string, field wire.Field, content wire.Message) Value {
	var of, data, metadata, tensor, m wire.Message
	of.Bytes(field, content)
	data.Text(1, "hparams")
	data.Bytes(2, of)
	metadata.Bytes(1, data)
	metadata.Number(4, tensors)
	tensor.Number(1, floats)
	tensor.Bytes(2, nil)
	tensor.Bytes(5, []byte{0, 0, 0, 0})
	m.Text(1, tag)
	m.Bytes(8, tensor)
	m.Bytes(9, metadata)
	return Value(m)
}
