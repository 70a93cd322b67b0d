package serve

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// grpcServer returns the server of gRPC with its limits on time and size.
func (s *Server) grpcServer(grpcConns *conns) *grpc.Server {
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(s.MaxBody)), grpc.MaxSendMsgSize(maxAnswer * 9), grpc.MaxHeaderListSize(headerBytes),
		grpc.MaxConcurrentStreams(streamsAtOnce), grpc.ConnectionTimeout(headerTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTimeout, Time: idleTimeout,
			Timeout: headerTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: headerTimeout, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(s.intercept), grpc.StatsHandler(grpcConns), grpc.InTapHandle(s.admitCall(grpcConns)),
		grpc.ForceServerCodecV2(boundedCodec{encoding.GetCodecV2(proto.Name)}),
	}
	if s.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(s.TLS)))
	}
	g := grpc.NewServer(options...)
	inference.RegisterGRPCInferenceServiceServer(g, &grpcService{Server: s})
	return g
}

// intercept calls the handler, and turns its errors and panics into statuses.
func (s *Server) intercept(ctx context.Context, q any, _ *grpc.UnaryServerInfo,
	handler grpc.UnaryHandler) (answer any, err error) {
	defer func() {
		if err != nil {
			e := reported(err)
			answer, err = nil, status.Error(e.kind.code, e.msg)
		}
	}()
	defer s.recoverTo(&err)
	return handler(ctx, q)
}

// header returns the first value of a key in a request's metadata, or "".
func header(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// grpcService is the protocol over gRPC.
type grpcService struct {
	inference.UnimplementedGRPCInferenceServiceServer
	*Server
}

func (g *grpcService) ServerLive(context.Context, *inference.ServerLiveRequest) (*inference.ServerLiveResponse, error) {
	return &inference.ServerLiveResponse{Live: true}, nil
}

func (g *grpcService) ServerReady(context.Context,
	*inference.ServerReadyRequest) (*inference.ServerReadyResponse, error) {
	return &inference.ServerReadyResponse{Ready: g.ready() == nil}, nil
}

func (g *grpcService) ModelReady(_ context.Context,
	q *inference.ModelReadyRequest) (*inference.ModelReadyResponse, error) {
	err := g.modelReady(q.Name, q.Version)
	if err != nil && reported(err).kind == unknown {
		return nil, err
	}
	return &inference.ModelReadyResponse{Ready: err == nil}, nil
}

func (g *grpcService) ServerMetadata(context.Context,
	*inference.ServerMetadataRequest) (*inference.ServerMetadataResponse, error) {
	m := g.metadata()
	return &inference.ServerMetadataResponse{Name: m.Name, Version: m.Version, Extensions: m.Extensions}, nil
}

func (g *grpcService) ModelMetadata(ctx context.Context,
	q *inference.ModelMetadataRequest) (*inference.ModelMetadataResponse, error) {
	d, err := g.describe(ctx, q.Name, q.Version)
	if err != nil {
		return nil, err
	}
	specs := func(from []TensorSpec) (to []*inference.ModelMetadataResponse_TensorMetadata) {
		for _, t := range from {
			to = append(to, &inference.ModelMetadataResponse_TensorMetadata{Name: t.Name,
				Datatype: string(t.Type), Shape: t.Shape})
		}
		return to
	}
	return &inference.ModelMetadataResponse{Name: d.Name, Versions: d.Versions, Platform: d.Platform,
		Inputs: specs(d.Inputs), Outputs: specs(d.Outputs)}, nil
}

func (g *grpcService) ModelInfer(ctx context.Context,
	q *inference.ModelInferRequest) (answer *inference.ModelInferResponse, err error) {
	c := &call{protocol: "grpc", model: q.ModelName, id: requestID(header(ctx, requestHeader), header(ctx, traceHeader))}
	began := time.Now()
	defer func() {
		code := codes.OK
		if err != nil {
			code = reported(err).kind.code
		}
		g.recordRequest(c, code.String(), began, err)
	}()
	defer g.recoverTo(&err)
	if err := grpc.SetHeader(ctx, metadata.Pairs(requestHeader, c.id)); err != nil {
		return nil, err
	}
	if g.bodies.add(0) {
		return nil, errTooManyBytes
	}
	if err := checkVersion(q.ModelVersion); err != nil {
		return nil, err
	}
	m, err := g.store.acquire(ctx, q.ModelName)
	if err != nil {
		return nil, err
	}
	defer m.release()
	request, err := requestOf(q, g.maxElements(m))
	if err != nil {
		return nil, err
	}
	if held, tagged := ctx.Value(messageKey{}).(*message); tagged {
		held.free = request.free
	} else {
		defer request.free()
	}
	if len(request.Inputs) > 0 {
		c.rows = int(request.Inputs[0].Shape[0])
	}
	outputs, _, err := g.infer(ctx, m, request)
	if err != nil {
		return nil, err
	}
	answer = &inference.ModelInferResponse{ModelName: c.model, ModelVersion: version, Id: q.Id}
	if request.Warnings != nil {
		lines := &inference.InferParameter_StringParam{StringParam: strings.Join(request.Warnings, "\n")}
		answer.Parameters = map[string]*inference.InferParameter{"warnings": {ParameterChoice: lines}}
	}
	for _, t := range outputs {
		answer.Outputs = append(answer.Outputs,
			&inference.ModelInferResponse_InferOutputTensor{Name: t.Name, Datatype: string(t.Type), Shape: t.Shape})
		answer.RawOutputContents = append(answer.RawOutputContents, t.raw())
	}
	return answer, nil
}

// requestOf reads the tensors of a request, each of at most maxElements elements.
func requestOf(q *inference.ModelInferRequest, maxElements int) (*Request, error) {
	request := &Request{ID: q.Id}
	if raw := len(q.RawInputContents); raw > 0 && raw != len(q.Inputs) {
		return nil, badf("there are %d raw contents for %d inputs", raw, len(q.Inputs))
	}
	for i, in := range q.Inputs {
		t := Tensor{Name: in.GetName(), Type: Datatype(in.GetDatatype()), Shape: in.GetShape()}
		n, err := t.elements(maxElements)
		if err != nil {
			return nil, err
		}
		switch {
		case q.RawInputContents == nil:
			err = t.fill(in.GetContents(), n)
		case in.GetContents() != nil:
			err = badf("input %q has both contents and raw contents: give one of them", t.Name)
		default:
			t.Numbers, t.Texts, err = fromRaw(t.Name, t.Type, q.RawInputContents[i], n)
		}
		if err != nil {
			return nil, err
		}
		request.Inputs = append(request.Inputs, t)
	}
	for _, out := range q.Outputs {
		wanted := OutputRequest{Name: out.GetName()}
		given, err := parameters(out.GetParameters())
		if err == nil {
			err = wanted.Wanted.read(wanted.Name, given)
		}
		if err != nil {
			return nil, err
		}
		request.Outputs = append(request.Outputs, wanted)
	}
	return request, nil
}

// parameters encodes the parameters of an output as JSON.
func parameters(of map[string]*inference.InferParameter) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	for name, parameter := range of {
		var value any
		switch v := parameter.GetParameterChoice().(type) {
		case *inference.InferParameter_BoolParam:
			value = v.BoolParam
		case *inference.InferParameter_Int64Param:
			value = v.Int64Param
		case *inference.InferParameter_StringParam:
			value = v.StringParam
		case *inference.InferParameter_DoubleParam:
			value = v.DoubleParam
		case *inference.InferParameter_Uint64Param:
			value = v.Uint64Param
		default:
			return nil, badf("parameter %s has no value", quote(name))
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, badf("parameter %s: %v", quote(name), err)
		}
		given[name] = text
	}
	return given, nil
}

func floats[T float32 | int32 | int64 | uint32 | uint64](values []T) []float64 {
	to := make([]float64, len(values))
	for i, v := range values {
		to[i] = float64(v)
	}
	return to
}

// fill reads n elements from the field of the tensor's type.
func (t *Tensor) fill(c *inference.InferTensorContents, n int) error {
	switch t.Type {
	case FP32:
		t.Numbers = floats(c.GetFp32Contents())
	case FP64:
		t.Numbers = c.GetFp64Contents()
	case INT64:
		t.Numbers = floats(c.GetInt64Contents())
	case INT8, INT16, INT32:
		t.Numbers = floats(c.GetIntContents())
	case UINT64:
		t.Numbers = floats(c.GetUint64Contents())
	case UINT8, UINT16, UINT32:
		t.Numbers = floats(c.GetUintContents())
	case Bool:
		for _, v := range c.GetBoolContents() {
			bits := uint64(0)
			if v {
				bits = 1
			}
			t.Numbers = append(t.Numbers, t.Type.value(bits))
		}
	case Bytes:
		for _, v := range c.GetBytesContents() {
			t.Texts = append(t.Texts, string(v))
		}
	}
	if found := len(t.Numbers) + len(t.Texts); found != n {
		return badf("input %q: %d elements of %s for a shape of %d", t.Name, found, t.Type, n)
	}
	return nil
}
