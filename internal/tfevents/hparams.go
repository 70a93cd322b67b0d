package tfevents

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// Param is a hyper-parameter: a number or a text.
type Param struct {
	Name   string
	Text   string
	Number *float64
}

// Hyperparameters returns the records that say which parameters led to which metrics. Metrics are the tags of scalars
// that stand in the same file. The run began at the first time and ended at the second.
func Hyperparameters(params []Param, metrics []string, began, ended time.Time) []byte {
	var experiment, start wire.Message
	for _, p := range params {
		kind, value := uint64(textType), wire.Message{}.Text(3, p.Text)
		if p.Number != nil {
			kind, value = numberType, wire.Message{}.Double(2, *p.Number)
		}
		experiment = experiment.Bytes(4, wire.Message{}.Text(1, p.Name).Number(4, kind))
		start = start.Bytes(1, wire.Message{}.Text(1, p.Name).Bytes(2, value))
	}
	for _, tag := range metrics {
		name := wire.Message{}.Text(2, tag)
		experiment = experiment.Bytes(5, wire.Message{}.Bytes(1, name))
	}
	start = start.Double(5, float64(began.UnixNano())/1e9)
	end := wire.Message{}.Number(1, success).Double(2, float64(ended.UnixNano())/1e9)
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

// plugin returns a value for TensorBoard's plugin hparams. Its content is one of the fields of HParamsPluginData; the
// value itself is a tensor that nobody reads.
func plugin(tag string, field wire.Field, content wire.Message) Value {
	data := wire.Message{}.Text(1, "hparams").Bytes(2, wire.Message{}.Bytes(field, content))
	metadata := wire.Message{}.Bytes(1, data).Number(4, tensors)
	tensor := wire.Message{}.Number(1, floats).Bytes(2, nil).Bytes(5, []byte{0, 0, 0, 0})
	return Value(wire.Message{}.Text(1, tag).Bytes(8, tensor).Bytes(9, metadata))
}
