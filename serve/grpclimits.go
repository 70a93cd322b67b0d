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

// What gRPC has in work at most: requests of a connection, and of all.
const (
	streamsAtOnce = 128
	callsAtOnce   = 256
)

// enter lets a request in before its message is read, if it has a token. From here on its time
// runs, so that a slow sender is left.
func (s *Server) enter(visitors *conns) tap.ServerInHandle {
	return func(ctx context.Context, call *tap.Info) (context.Context, error) {
		open := call.FullMethodName == inference.GRPCInferenceService_ServerLive_FullMethodName ||
			call.FullMethodName == inference.GRPCInferenceService_ServerReady_FullMethodName
		if token := append(call.Header["authorization"], "")[0]; !open && !s.Tokens.allow(token) {
			return nil, status.Error(codes.Unauthenticated,
				"a token is needed: send the metadata authorization: Bearer TOKEN")
		}
		if visitors.calls() >= callsAtOnce {
			return nil, status.Error(codes.ResourceExhausted, "too many requests at a time: try again in a second")
		}
		timed, cancel := context.WithTimeout(ctx, s.Timeout)
		context.AfterFunc(ctx, cancel)
		return timed, nil
	}
}

// Messages come as they are, like the bodies of HTTP: one that is compressed may take a thousand
// times its bytes. Package gzip is linked by another, and takes itself in.
func init() { encoding.RegisterCompressor(asItIs{}) }

type asItIs struct{}

func (asItIs) Name() string { return gzip.Name }

func (asItIs) Compress(io.Writer) (io.WriteCloser, error) { return nil, asItIs{} }

func (asItIs) Decompress(io.Reader) (io.Reader, error) { return nil, asItIs{} }

func (asItIs) Error() string { return "send the message as it is" }

// frugal decodes messages, though not those whose parts would take far more memory than their
// bytes.
type frugal struct{ encoding.CodecV2 }

// mostTexts is how many elements of BYTES or raw contents a request may have.
const mostTexts = 1 << 20

// Unmarshal decodes a message. A part has two bytes or more.
func (f frugal) Unmarshal(data mem.BufferSlice, v any) error {
	if _, ok := v.(*inference.ModelInferRequest); ok && data.Len() > 2*mostTexts/inference.TensorTexts {
		whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
		defer whole.Free()
		data = mem.BufferSlice{whole}
		if n, err := inference.Parts(whole.ReadOnlyData(), mostTexts); err != nil {
			return err
		} else if n >= mostTexts {
			return errTooManyParts
		}
	}
	return f.CodecV2.Unmarshal(data, v)
}

var errTooManyParts = &Error{tooLarge, "too many tensors, parameters or texts: send fewer rows at a time"}
