package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// A call of gRPC is a request of HTTP/2. Its body is one message after its size. The answer has the same form, and its
// trailers have the status.

// callType is the Content-Type of a call. A page of a browser may send it only where the server lets it.
const callType = "application/grpc"

// callsAtOnce is the most calls in progress.
const callsAtOnce = 256

// maxTexts is the most elements of BYTES or raw contents of a call.
const maxTexts = 1 << 20

var (
	errTooManyCalls = &Error{busy, "too many requests at a time: try again in a second"}
	errTooManyParts = &Error{tooLarge, "too many tensors, parameters or texts: send fewer rows at a time"}
)

// grpcHandler returns the handler of all calls. Health checks need no token and take no memory.
func (s *Server) grpcHandler() http.Handler {
	mux := http.NewServeMux()
	for method, h := range map[string]handler{
		"ServerLive": healthCheck(func() proto.Message { return &inference.ServerLiveResponse{Live: true} }),
		"ServerReady": healthCheck(func() proto.Message {
			return &inference.ServerReadyResponse{Ready: s.ready() == nil}
		}),
		"ModelReady":            s.requireToken(unary(s, s.callModelReady)),
		"ServerMetadata":        s.requireToken(unary(s, s.callServerMetadata)),
		"ModelMetadata":         s.requireToken(unary(s, s.callModelMetadata)),
		"ModelInfer":            s.requireToken(s.callModelInfer),
		"RepositoryIndex":       s.requireToken(unary(s, s.callIndex)),
		"RepositoryModelLoad":   s.requireToken(unary(s, s.callLoad)),
		"RepositoryModelUnload": s.requireToken(unary(s, s.callUnload)),
	} {
		mux.HandleFunc("POST /"+inference.Service+"/"+method, s.withErrors(h, writeStatus))
	}
	mux.HandleFunc("/", s.withErrors(func(_ http.ResponseWriter, r *http.Request) error {
		return &Error{wrongMethod, "there is no method " + quote(r.URL.Path)}
	}, writeStatus))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if kind != callType && kind != callType+"+proto" {
			http.Error(w, "the Content-Type is not "+callType, http.StatusUnsupportedMediaType)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// healthCheck returns the handler of a health check, whose message is empty.
func healthCheck(answer func() proto.Message) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, headerBytes))
		return writeMessage(w, answer())
	}
}

// unary returns the handler of a method: it reads the message of a call, which respond answers by writeMessage.
func unary[T any, M interface {
	*T
	proto.Message
}](s *Server, respond func(w http.ResponseWriter, r *http.Request, q M) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.calls.TryAcquire(1) {
			return errTooManyCalls
		}
		defer s.calls.Release(1)
		timeout, err := s.callTimeout(r.Header.Get("Grpc-Timeout"))
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		body, done, err := s.body(w, r)
		if err != nil {
			return err
		}
		defer done()
		q := M(new(T))
		if err := readMessage(body, q); err != nil {
			return err
		}
		return respond(w, r.WithContext(ctx), q)
	}
}

// timeoutUnits are the units of the header grpc-timeout.
var timeoutUnits = map[string]time.Duration{"H": time.Hour, "M": time.Minute, "S": time.Second,
	"m": time.Millisecond, "u": time.Microsecond, "n": time.Nanosecond}

// callTimeout returns the time of a call: the server's limit, or the client's if it is less.
func (s *Server) callTimeout(given string) (time.Duration, error) {
	if given == "" {
		return s.Timeout, nil
	}
	const digits = 8
	last := len(given) - 1
	unit, known := timeoutUnits[given[last:]]
	n, err := strconv.ParseUint(given[:last], 10, 64)
	if !known || err != nil || last > digits {
		return 0, invalidf("grpc-timeout %s: give at most %d digits and a unit, such as 100m", quote(given), digits)
	}
	if n > uint64(s.Timeout/unit) {
		return s.Timeout, nil
	}
	return time.Duration(n) * unit, nil
}

// messageHead is the bytes before a message: whether it is compressed, and its size.
const messageHead = 5

// readMessage decodes the body of a call. Messages come as they are, like the bodies of HTTP: one that is compressed
// may take a thousand times its bytes. It refuses one whose parts, of two bytes or more, take far more memory.
func readMessage(body []byte, q proto.Message) error {
	switch {
	case len(body) < messageHead || uint64(binary.BigEndian.Uint32(body[1:])) != uint64(len(body)-messageHead):
		return invalidf("the body is not one message with its size before it")
	case body[0] != 0:
		return &Error{wrongFormat, "the message is compressed: send the message as it is"}
	}
	text := body[messageHead:]
	if _, ok := q.(*inference.ModelInferRequest); ok && len(text) > 2*maxTexts/inference.TensorTexts {
		if n, err := inference.Parts(text, maxTexts); err != nil {
			return invalidf("the message: %v", err)
		} else if n >= maxTexts {
			return errTooManyParts
		}
	}
	if err := proto.Unmarshal(text, q); err != nil {
		return invalidf("the message: %v", err)
	}
	return nil
}

func writeMessage(w http.ResponseWriter, answer proto.Message) error {
	text, err := proto.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", callType)
	w.Write(binary.BigEndian.AppendUint32(make([]byte, 1, messageHead), uint32(len(text))))
	w.Write(text) // a client that has left gets nothing
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
	return nil
}

// writeStatus answers a call with the status of an error.
func writeStatus(w http.ResponseWriter, err error) {
	e := reported(err)
	w.Header().Set("Content-Type", callType)
	w.Header().Set("Grpc-Accept-Encoding", "identity")
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(e.kind.code.number))
	w.Header().Set(http.TrailerPrefix+"Grpc-Message", url.PathEscape(e.msg))
}

func (s *Server) callModelReady(w http.ResponseWriter, _ *http.Request, q *inference.ModelReadyRequest) error {
	err := s.modelReady(q.Name, q.Version)
	if err != nil && reported(err).kind == unknown {
		return err
	}
	return writeMessage(w, &inference.ModelReadyResponse{Ready: err == nil})
}

func (s *Server) callServerMetadata(w http.ResponseWriter, _ *http.Request, _ *inference.ServerMetadataRequest) error {
	m := s.metadata()
	return writeMessage(w, &inference.ServerMetadataResponse{Name: m.Name, Version: m.Version,
		Extensions: m.Extensions})
}

func (s *Server) callModelMetadata(w http.ResponseWriter, r *http.Request, q *inference.ModelMetadataRequest) error {
	d, err := s.describe(r.Context(), q.Name, q.Version)
	if err != nil {
		return err
	}
	specs := func(from []TensorSpec) (to []*inference.ModelMetadataResponse_TensorMetadata) {
		for _, t := range from {
			to = append(to, &inference.ModelMetadataResponse_TensorMetadata{Name: t.Name,
				Datatype: string(t.Type), Shape: t.Shape})
		}
		return to
	}
	return writeMessage(w, &inference.ModelMetadataResponse{Name: d.Name, Versions: d.Versions, Platform: d.Platform,
		Inputs: specs(d.Inputs), Outputs: specs(d.Outputs)})
}

func (s *Server) callIndex(w http.ResponseWriter, _ *http.Request, q *inference.RepositoryIndexRequest) error {
	answer := &inference.RepositoryIndexResponse{}
	for _, m := range s.store.index(q.Ready) {
		answer.Models = append(answer.Models, &inference.RepositoryIndexResponse_ModelIndex{Name: m.Name,
			Version: m.Version, State: m.State, Reason: m.Reason})
	}
	return writeMessage(w, answer)
}

func (s *Server) callLoad(w http.ResponseWriter, r *http.Request, q *inference.RepositoryModelLoadRequest) error {
	if err := s.load(r.Context(), q.ModelName, len(q.Parameters)); err != nil {
		return err
	}
	return writeMessage(w, &inference.RepositoryModelLoadResponse{})
}

func (s *Server) callUnload(w http.ResponseWriter, r *http.Request, q *inference.RepositoryModelUnloadRequest) error {
	if err := s.store.unload(r.Context(), q.ModelName); err != nil {
		return err
	}
	return writeMessage(w, &inference.RepositoryModelUnloadResponse{})
}

// callModelInfer answers a request for a prediction. It logs and counts the request, also where its message is refused.
func (s *Server) callModelInfer(w http.ResponseWriter, r *http.Request) (err error) {
	c := &requestInfo{protocol: "grpc", id: r.Header.Get(requestHeader)}
	defer func(began time.Time) { s.recordRequest(c, began, err) }(time.Now())
	defer recoverTo(s.Log, &err)
	return unary(s, func(w http.ResponseWriter, r *http.Request, q *inference.ModelInferRequest) error {
		c.model = q.ModelName
		return s.answerInfer(r.Context(), w, c, q)
	})(w, r)
}

func (s *Server) answerInfer(ctx context.Context, w http.ResponseWriter, c *requestInfo,
	q *inference.ModelInferRequest) error {
	if err := checkVersion(q.ModelVersion); err != nil {
		return err
	}
	m, err := s.store.acquire(ctx, q.ModelName)
	if err != nil {
		return err
	}
	defer m.release()
	request, err := requestOf(q, s.maxElements(m))
	if err != nil {
		return err
	}
	defer request.free()
	outputs, _, err := s.infer(ctx, c, m, request)
	if err != nil {
		return err
	}
	answer := &inference.ModelInferResponse{ModelName: c.model, ModelVersion: version, Id: q.Id}
	if request.Warnings != nil {
		lines := &inference.InferParameter_StringParam{StringParam: strings.Join(request.Warnings, "\n")}
		answer.Parameters = map[string]*inference.InferParameter{"warnings": {ParameterChoice: lines}}
	}
	for _, t := range outputs {
		answer.Outputs = append(answer.Outputs,
			&inference.ModelInferResponse_InferOutputTensor{Name: t.Name, Datatype: string(t.Type), Shape: t.Shape})
		answer.RawOutputContents = append(answer.RawOutputContents, t.raw())
	}
	return writeMessage(w, answer)
}

// requestOf reads the tensors of a request, each of at most maxElements elements.
func requestOf(q *inference.ModelInferRequest, maxElements int) (*Request, error) {
	request := &Request{ID: q.Id}
	if raw := len(q.RawInputContents); raw > 0 && raw != len(q.Inputs) {
		return nil, invalidf("there are %d raw contents for %d inputs", raw, len(q.Inputs))
	}
	for i, in := range q.Inputs {
		t := Tensor{Name: in.GetName(), Type: Datatype(in.GetDatatype()), Shape: in.GetShape()}
		n, err := t.elements(maxElements)
		if err != nil {
			return nil, err
		}
		switch {
		case q.RawInputContents == nil:
			err = t.fillFields(in.GetContents(), n)
		case in.GetContents() != nil:
			err = invalidf("input %s has both contents and raw contents: give one of them", quote(t.Name))
		default:
			err = t.fillRaw(q.RawInputContents[i], n)
		}
		if err != nil {
			return nil, err
		}
		request.Inputs = append(request.Inputs, t)
	}
	for _, out := range q.Outputs {
		given, err := parameters(out.GetParameters())
		if err != nil {
			return nil, err
		}
		request.Outputs = append(request.Outputs, OutputRequest{Name: out.GetName(), Parameters: given})
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
			return nil, invalidf("parameter %s has no value", quote(name))
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, invalidf("parameter %s: %v", quote(name), err)
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

// fillFields reads n elements from the field of the tensor's type.
func (t *Tensor) fillFields(c *inference.InferTensorContents, n int) error {
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
		return invalidf("input %s: %d elements of %s for a shape of %d", quote(t.Name), found, t.Type, n)
	}
	return nil
}
