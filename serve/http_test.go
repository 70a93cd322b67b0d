package serve

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// serveKind serves a model of a kind as "m".
func serveKind(t *testing.T, kind string, c Config) *running {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	writeModel(t, path, kind, 1)
	return start(t, c, Source{"m", path})
}

// What is wrong is said in words, with the protocol's status, and the server goes on.
func TestBadRequests(t *testing.T) {
	r := serveKind(t, words, testConfig())
	tensor := func(rest string) string { return `{"inputs":[{"name":"inputs","shape":[1,2],` + rest + `}]}` }
	colour := `,{"name":"colour","shape":[1],"datatype":"BYTES","data":["red"]}`
	for _, test := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"/v2/models/m/infer", "", 400, "not JSON of the protocol"},
		{"/v2/models/m/infer", `{"inputs":[`, 400, "unexpected end"},
		{"/v2/models/m/infer", `{}`, 400, `input "inputs" is missing: the model reads "inputs", "colour"`},
		{"/v2/models/m/infer", tensor(`"datatype":"INT9","data":[1,2]`), 400,
			`datatype "INT9": give FP32, FP64, BOOL, BYTES or a type of integers`},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64","data":[1]`), 400, "have not the 2 elements"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64","data":[1,2,3]`), 400, "have not the 2 elements"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64","data":[1,"2"]`), 400, "element 2 is"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP32","data":[1,1e60]`), 400, "element 2 is"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64","data":[1,{"a":2}]`), 400, "element 2 is"},
		{"/v2/models/m/infer", tensor(`"datatype":"INT64","data":[1,2.5]`), 400, "not a number of INT64"},
		{"/v2/models/m/infer", tensor(`"datatype":"BYTES","data":["a","b"]`), 400,
			"is BYTES, and the model reads FP64"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64"`), 400, "has no list of data"},
		{"/v2/models/m/infer", tensor(`"datatype":"FP64","parameters":{"binary_data_size":16}`), 400,
			"0 bytes are left after the JSON"},
		{"/v2/models/m/infer", tensor(`"datatype":"INT8","data":[1,128]`), 400, "element 2 is \"128\""},
		{"/v2/models/m/infer", tensor(`"datatype":"UINT64","data":[1,-1]`), 400, "element 2 is"},
		{"/v2/models/m/infer", tensor(`"datatype":"BOOL","data":[true,2]`), 400, "element 2 is"},
		{"/v2/models/m/infer", `[]`, 400, "not JSON of the protocol: found list in place of an object"},
		{"/v2/models/m/infer", `{"outputs":[{"name":"label","parameters":{"count":"x"}}]}`, 400,
			`output "label" has no parameter "count"`},
		{"/v2/models/m/infer",
			`{"inputs":[{"name":"inputs","shape":[-1,2],"datatype":"FP64","data":[1,2]}]}`, 400,
			"has the shape [-1 2]"},
		{"/v2/models/m/infer",
			`{"inputs":[{"name":"inputs","shape":[4611686018427387904,4],"datatype":"FP64","data":[1,2]}]}`,
			400, "has the shape"},
		{"/v2/models/m/infer",
			`{"inputs":[{"name":"inputs","shape":[2147483647,2147483647],"datatype":"FP64","data":[1,2]}]}`,
			413, "send fewer rows"},
		{"/v2/models/m/infer",
			`{"inputs":[{"name":"inputs","shape":[1,3],"datatype":"FP64","data":[1,2,3]}` + colour + `]}`,
			400, "the model reads [-1 2]"},
		{"/v2/models/m/infer",
			`{"inputs":[{"name":"inputs","shape":[2,2],"datatype":"FP64","data":[1,2,3,4]}` + colour + `]}`,
			400, "has 1 rows, the one before 2"},
		{"/v2/models/m/infer", `{"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1]}]}`, 400,
			`there is no input "x"`},
		{"/v2/models/m/infer", strings.Replace(tensor(`"datatype":"FP64","data":[1,1e200]`), "]}]}",
			"]}"+colour+"]}", 1), 400, `row 1: found 1e+200 in column "b"`},
		{"/v2/models/m/infer", strings.Replace(tensor(`"datatype":"FP64","data":[1,2]`), "]}]}",
			"]}"+colour+`],"outputs":[{"name":"mean"}]}`, 1), 400, `there is no output "mean": the model has "label"`},
		{"/v2/models/m/versions/2/infer", `{}`, 404, "every model has version 1"},
		{"/v2/models/x/infer", `{}`, 404, `there is no model "x"`},
		{"/v2/models", `{}`, 404, "GET /openapi.json"},
		{"/v1/models/m:explain", `{}`, 404, "MODEL:predict"},
		{"/v1/models/m:predict", `[]`, 400, "not JSON of rows: found list in place of an object"},
		{"/v1/models/m:predict", `{}`, 400, "the request has no rows"},
		{"/v1/models/m:predict", `{"instances":[1]}`, 400, `row 1: found "1": a row is an object`},
		{"/v1/models/m:predict", `{"instances":[[1,"red"]]}`, 400,
			"a list of 2 cells, and the model reads the 3 columns"},
		{"/v1/models/m:predict", `{"instances":[{"a":1,"b":2,"colour":"red"},{"a":1,"b":2}]}`, 400,
			`row 2 lacks column "colour"`},
		{"/v1/models/m:predict", `{"instances":[["x","red",2]]}`, 400,
			`row 1, column "a": found "x", which must be a number`},
		{"/v1/models/m:predict", `{"instances":[[true,"red",2]]}`, 400, `found "true"`},
	} {
		code, header, answer := r.post(t, test.path, []byte(test.body))
		var said struct{ Error string }
		if err := json.Unmarshal(answer, &said); err != nil || code != test.status ||
			!strings.Contains(said.Error, test.says) {
			t.Errorf("%s %s: %d %s, expected %d %q", test.path, test.body, code, answer, test.status, test.says)
		}
		if header.Get(requestHeader) == "" {
			t.Errorf("%s: no request ID", test.path)
		}
	}
	good := []byte(`{"instances":[[1,"red",2],{"a":null,"colour":"purple","b":"3"}]}`)
	if code, header, answer := r.post(t, "/v1/models/m:predict", good, requestHeader,
		"my-request"); code != 200 || header.Get(requestHeader) != "my-request" {
		t.Errorf("%d %s %v", code, answer, header)
	}
	if code, _, answer := r.post(t, "/v1/models/m:predict", good, "Content-Encoding", "gzip"); code != 415 {
		t.Errorf("%d %s", code, answer)
	}
	_, metrics := r.get(t, "/metrics")
	for _, line := range []string{
		`gpdrf_requests_total{model="m",protocol="http",status="200"} 1`,
		`gpdrf_requests_total{model="",protocol="http",status="404"} 1`,
		`gpdrf_rows_total{model="m"} 2`, `gpdrf_model_loads_total{model="m",what="loaded"} 1`,
	} {
		if !bytes.Contains(metrics, []byte(line+"\n")) {
			t.Errorf("metrics lack %s", line)
		}
	}
}

// What is too much is refused with the status of the limit.
func TestLimits(t *testing.T) {
	c := testConfig()
	c.MaxRows, c.MaxBody = 3, 2000
	r := serveKind(t, numbers, c)
	rows := func(n int) []byte {
		return []byte(`{"instances":[` + strings.TrimSuffix(strings.Repeat("[1,2],", n), ",") + `]}`)
	}
	for n, want := range map[int]int{3: 200, 4: 413, 1000: 413} {
		code, _, answer := r.post(t, "/v1/models/m:predict", rows(n))
		if code != want || n == 4 && !strings.Contains(string(answer), "more than 3 rows") {
			t.Errorf("%d rows: %d %s", n, code, answer)
		}
	}
	client := r.dial(t)
	_, err := client.ModelInfer(t.Context(),
		&inference.ModelInferRequest{ModelName: "m", RawInputContents: [][]byte{make([]byte, 5000)}})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a large message: %v", err)
	}
	_, err = client.ModelInfer(t.Context(),
		&inference.ModelInferRequest{ModelName: "m", RawInputContents: [][]byte{{1}}})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "1 raw contents for 0 inputs") {
		t.Errorf("no inputs: %v", err)
	}
}

// A full queue is 503 with Retry-After at once; a request whose time is over is 504.
func TestFullQueue(t *testing.T) {
	c := testConfig()
	c.MaxDelay, c.Timeout = time.Second, 200*time.Millisecond
	r := serveKind(t, numbers, c)
	body := []byte(`{"instances":[[1,2]]}`)
	if code, _, answer := r.post(t, "/v1/models/m:predict", body); code != 504 ||
		!strings.Contains(string(answer), "ask the operator") {
		t.Errorf("a slow batch: %d %s", code, answer)
	}
	full := &batcher{queue: make(chan *batchItem)} // nobody reads it
	_, err := full.predict(t.Context(), 1, nil)
	w := httptest.NewRecorder()
	writeError(w, err)
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" ||
		!strings.Contains(w.Body.String(), "the queue is full") {
		t.Errorf("a full queue: %d %v %s", w.Code, w.Header(), w.Body)
	}
}

// Without a token only the health of the server can be seen.
func TestTokens(t *testing.T) {
	c := testConfig()
	path := filepath.Join(t.TempDir(), "tokens")
	replace(t, path, []byte("\ufeff# two clients\n0123456789abcdef\nfedcba9876543210\n"))
	var err error
	if c.Tokens, err = ReadTokens(path); err != nil {
		t.Fatal(err)
	}
	r := serveKind(t, numbers, c)
	for path, want := range map[string]int{"/v2/health/live": 200, "/v2/health/ready": 200, "/v2": 401,
		"/metrics": 401, "/v2/models/m": 401} {
		if code, answer := r.get(t, path); code != want {
			t.Errorf("%s: %d %s", path, code, answer)
		}
	}
	body := []byte(`{"instances":[[1,2]]}`)
	for token, want := range map[string]int{"": 401, "Bearer 0123456789abcde": 401,
		"Basic 0123456789abcdef": 401, "Bearer fedcba9876543210": 200, "bearer 0123456789abcdef": 200} {
		if code, _, answer := r.post(t, "/v1/models/m:predict", body, "Authorization", token); code != want {
			t.Errorf("%q: %d %s", token, code, answer)
		}
	}
	client := r.dial(t)
	if live, err := client.ServerLive(t.Context(), &inference.ServerLiveRequest{}); err != nil || !live.Live {
		t.Errorf("%v, %v", live, err)
	}
	if _, err := client.ModelMetadata(t.Context(),
		&inference.ModelMetadataRequest{Name: "m"}); status.Code(err) != codes.Unauthenticated {
		t.Error(err)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer 0123456789abcdef")
	if m, err := client.ModelMetadata(ctx, &inference.ModelMetadataRequest{Name: "m"}); err != nil ||
		m.Inputs[0].Name != "inputs" {
		t.Errorf("%v, %v", m, err)
	}
	replace(t, path, []byte("0\x001\x002\x003\x004\x005\x006\x007\x00")) // UTF-16
	if _, err := ReadTokens(path); err == nil || !strings.Contains(err.Error(), "visible ASCII characters") {
		t.Errorf("UTF-16: %v", err)
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "localhost:80": true, "[::1]:80": true, "127.9.9.9:1": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "example.org:80": false,
		"10.0.0.1:1": false, "127.0.0.1": false,
	} {
		if IsLoopback(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}

// The document lists what is served, and nothing else.
func TestOpenAPI(t *testing.T) {
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	must.OK(t, json.Unmarshal(openAPI, &document))
	listed := map[string]bool{}
	for path, methods := range document.Paths {
		for method := range methods {
			if method != "parameters" {
				listed[strings.ToUpper(method)+" "+strings.ReplaceAll(path, "{model}:predict", "{call}")] = true
			}
		}
	}
	routes := New(testConfig(), nil).routes()
	for pattern := range routes {
		if !listed[pattern] {
			t.Errorf("openapi.json lacks %s", pattern)
		}
	}
	for pattern := range listed {
		if routes[pattern] == nil {
			t.Errorf("openapi.json has %s, which is not served", pattern)
		}
	}
}

// The ID of a request is the client's, or that of its trace; what is long or not plain is replaced.
func TestRequestID(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, c := range []struct{ given, traceparent, want string }{
		{"my-request", "", "my-request"},
		{"", "00-" + trace + "-00f067aa0ba902b7-01", trace},
		{"my-request", "00-" + trace + "-00f067aa0ba902b7-01", "my-request"},
	} {
		must.Equal(t, requestID(c.given, c.traceparent), c.want)
	}
	for _, c := range []struct{ given, traceparent string }{
		{"two words", ""}, {"", "00-" + trace}, {"", "0-\n-1-1"}, {strings.Repeat("a", 65), ""},
	} {
		if got := requestID(c.given, c.traceparent); len(got) != 16 {
			t.Errorf("%q, %q: the new ID %q has not 16 letters", c.given, c.traceparent, got)
		}
	}
}

// Pages of the origin may read answers and errors. Pages of other origins may not, nor any without the option.
func TestCORS(t *testing.T) {
	const page, other = "https://example.org", "https://example.com"
	preflight := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}
	for _, c := range []struct{ allowed, origin, want string }{
		{"", page, ""}, {page, page, page}, {page, other, ""}, {page, "", ""}, {AnyOrigin, other, AnyOrigin},
	} {
		config := testConfig()
		config.Origin = c.allowed
		config.Tokens = &Tokens{}
		r := serveKind(t, numbers, config)
		var origin []string
		if c.origin != "" {
			origin = []string{"Origin", c.origin}
		}
		if a, text := r.ask(t, "GET", "/v2", origin...); a.StatusCode != 401 ||
			a.Header.Get("Access-Control-Allow-Origin") != c.want {
			t.Errorf("%v: %d %v %s", c, a.StatusCode, a.Header, text)
		}
		a, text := r.ask(t, "OPTIONS", "/v2/models/m/infer", append(origin, preflight...)...)
		if (a.StatusCode == 204) != (c.want != "") ||
			strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") != (c.want != "") {
			t.Errorf("%v: preflight: %d %v %s", c, a.StatusCode, a.Header, text)
		}
	}
}

// A method that a path does not have is 405, and the answer names those that it has.
func TestMethods(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v2/models/m/infer", "POST"}, {"PUT", "/v2/models/m/infer", "POST"}, {"POST", "/v2", "GET, HEAD"},
		{"DELETE", "/v2/models/m", "GET, HEAD"}, {"GET", "/v1/models/m:predict", "POST"},
		{"POST", "/v1/models/m", "GET, HEAD"}, {"GET", "/v2/repository/index", "POST"},
		{"OPTIONS", "/v2/models/m/infer", "POST"}, {"PUT", "/v1/models/m:predict", "POST"},
		{"HEAD", "/v1/models/m:predict", "POST"}, {"PUT", "/v1/models/m", "GET, HEAD"},
	} {
		a, text := r.ask(t, c.method, c.path)
		if a.StatusCode != 405 {
			t.Errorf("%s %s: the status is %d", c.method, c.path, a.StatusCode)
		}
		if allow := a.Header.Get("Allow"); allow != c.allow {
			t.Errorf("%s %s: Allow is %q, expected %q", c.method, c.path, allow, c.allow)
		}
		if c.method != "HEAD" && !strings.Contains(text, `{"error":`) {
			t.Errorf("%s %s: no error in %s", c.method, c.path, text)
		}
	}
	if a, _ := r.ask(t, "POST", "/v3"); a.StatusCode != 404 {
		t.Errorf("no path: %d", a.StatusCode)
	}
}
