package inference

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TensorTexts is how many texts a tensor or a parameter counts as: it takes about as much memory.
const TensorTexts = 10

// Parts counts the tensors, parameters, elements of BYTES and raw contents of a ModelInferRequest
// in its wire form, up to a number. Each may be two bytes there.
func Parts(request []byte, upTo int) (n int, err error) {
	return parts(request, (&ModelInferRequest{}).ProtoReflect().Descriptor(), upTo)
}

func parts(text []byte, d protoreflect.MessageDescriptor, upTo int) (n int, err error) {
	for len(text) > 0 && n < upTo {
		number, kind, size := protowire.ConsumeTag(text)
		if size < 0 {
			return n, protowire.ParseError(size)
		}
		text = text[size:]
		if size = protowire.ConsumeFieldValue(number, kind, text); size < 0 {
			return n, protowire.ParseError(size)
		}
		if f := d.Fields().ByNumber(number); f != nil && kind == protowire.BytesType {
			if f.Message() != nil {
				text, _ := protowire.ConsumeBytes(text)
				inner, err := parts(text, f.Message(), upTo-n)
				if err != nil {
					return n, err
				}
				n += TensorTexts + inner
			} else if f.IsList() && f.Kind() == protoreflect.BytesKind {
				n++
			}
		}
		text = text[size:]
	}
	return n, nil
}
