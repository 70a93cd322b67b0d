package serve

import (
	"context"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// The most gRPC requests in progress: of a connection, and of all.
const (
	streamsAtOnce = 128
	callsAtOnce   = 256
)

// admitCall returns a handle that checks a request's token before its message is read. The request's
// timeout starts here, so that a slow sender is cut off.
func (s *Server) admitCall(grpcConns *conns) tap.ServerInHandle {
	return func(ctx context.Context, call *tap.Info) (context.Context, error) {
		open := call.FullMethodName == inference.GRPCInferenceService_ServerLive_FullMethodName ||
			call.FullMethodName == inference.GRPCInferenceService_ServerReady_FullMethodName
		if token := append(call.Header["authorization"], "")[0]; !open && !s.Tokens.allow(token) {
			return nil, status.Error(codes.Unauthenticated,
				"a token is needed: send the metadata authorization: Bearer TOKEN")
		}
		if grpcConns.calls() >= callsAtOnce {
			return nil, status.Error(codes.ResourceExhausted, "too many requests at a time: try again in a second")
		}
		timed, cancel := context.WithTimeout(ctx, s.Timeout)
		context.AfterFunc(ctx, cancel)
		return timed, nil
	}
}

// Messages come as they are, like the bodies of HTTP: one that is compressed may take a thousand
// times its bytes. Package gzip is linked by another, and takes itself in.
func init() { encoding.RegisterCompressor(noGzip{}) }

type noGzip struct{}

func (noGzip) Name() string { return gzip.Name }

func (noGzip) Compress(io.Writer) (io.WriteCloser, error) { return nil, noGzip{} }

func (noGzip) Decompress(io.Reader) (io.Reader, error) { return nil, noGzip{} }

func (noGzip) Error() string { return "send the message as it is" }

// boundedCodec decodes messages, and refuses those whose parts would take far more memory than their
// bytes.
type boundedCodec struct{ encoding.CodecV2 }

// maxTexts is the most elements of BYTES or raw contents of a request.
const maxTexts = 1 << 20

// Unmarshal decodes a message, or returns errTooManyParts. A part has two bytes or more.
func (c boundedCodec) Unmarshal(data mem.BufferSlice, v any) error {
	if _, ok := v.(*inference.ModelInferRequest); ok && data.Len() > 2*maxTexts/inference.TensorTexts {
		whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
		defer whole.Free()
		data = mem.BufferSlice{whole}
		if n, err := inference.Parts(whole.ReadOnlyData(), maxTexts); err != nil {
			return err
		} else if n >= maxTexts {
			return errTooManyParts
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

var errTooManyParts = &Error{tooLarge, "too many tensors, parameters or texts: send fewer rows at a time"}
