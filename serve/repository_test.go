package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// ask sends a request of any method.
func (r *running) ask(t *testing.T, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	a, body, err := r.send(method, path, nil, headers...)
	must.OK(t, err)
	return a, string(body)
}

// An unloaded model answers nobody until it is loaded. A load reads the files again; where they are damaged, the model
// stays as it was.
func TestRepository(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	writeModel(t, path, numbers, 1)
	good := must.Get(os.ReadFile(path))(t)
	r := start(t, testConfig(), Source{"m", path})
	client := r.dial(t)
	check := func(when string, state string, answers int) {
		t.Helper()
		var index []modelState
		code, _, text := r.post(t, "/v2/repository/index", nil)
		if err := json.Unmarshal(text, &index); err != nil || code != 200 {
			t.Errorf("%s: the index is %d %s: %v", when, code, text, err)
		} else if len(index) != 1 || index[0].Name != "m" {
			t.Errorf("%s: the index %s is not of the model m", when, text)
		} else if index[0].State != state {
			t.Errorf("%s: the model is %s, expected %s", when, index[0].State, state)
		}
		rpc, err := invoke[inference.RepositoryIndexResponse](t.Context(), client, "RepositoryIndex",
			&inference.RepositoryIndexRequest{Ready: true})
		if err != nil || (len(rpc.GetModels()) == 1) != (answers == 200) {
			t.Errorf("%s: gRPC lists %v, %v", when, rpc.GetModels(), err)
		}
		code, _, text = r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[1,2]]}`))
		if code != answers || (answers == 200) == bytes.Contains(text, []byte("is unloaded")) {
			t.Errorf("%s: the answer is %d %s", when, code, text)
		}
		if code, text := r.get(t, "/v2/models/m/ready"); code != answers {
			t.Errorf("%s: ready is %d %s", when, code, text)
		}
	}
	do := func(what string, want int) {
		t.Helper()
		if code, _, text := r.post(t, "/v2/repository/models/"+what, []byte(`{"parameters":{}}`)); code != want ||
			(want == 200) != (len(text) == 0) {
			t.Errorf("%s: %d %s", what, code, text)
		}
	}
	check("at the start", "READY", 200)
	do("m/unload", 200)
	check("unloaded", "UNAVAILABLE", 503)
	r.store.reload(t.Context(), r.store.entries[0])
	check("when files are looked at", "UNAVAILABLE", 503)
	do("m/unload", 200)
	replace(t, path, good[:len(good)/2])
	do("m/load", 503)
	check("damaged", "UNAVAILABLE", 503)
	replace(t, path, good)
	do("m/load", 200)
	check("loaded", "READY", 200)
	before := r.store.entries[0].model
	do("m/load", 200)
	if r.store.entries[0].model == before {
		t.Error("a loaded model was not read again")
	}
	if _, err := invoke[inference.RepositoryModelUnloadResponse](t.Context(), client, "RepositoryModelUnload",
		&inference.RepositoryModelUnloadRequest{ModelName: "m"}); err != nil {
		t.Error(err)
	}
	check("unloaded by gRPC", "UNAVAILABLE", 503)
	if _, err := invoke[inference.RepositoryModelLoadResponse](t.Context(), client, "RepositoryModelLoad",
		&inference.RepositoryModelLoadRequest{ModelName: "m"}); err != nil {
		t.Error(err)
	}
	check("loaded by gRPC", "READY", 200)
}

// Nothing beside the models of the command line can be loaded, and no page of another server loads or unloads them.
func TestRepositoryIsClosed(t *testing.T) {
	c := testConfig()
	c.Origin = AnyOrigin
	r := serveKind(t, numbers, c)
	for what, want := range map[string]int{"x/load": 404, "x/unload": 404, "..%2Fm/load": 404,
		"%2Fetc%2Fpasswd/load": 404} {
		if code, _, text := r.post(t, "/v2/repository/models/"+what, nil); code != want {
			t.Errorf("%s: %d %s", what, code, text)
		}
	}
	for _, body := range []string{`{"parameters":{"config":"{}"}}`, `{"parameters":{"file:1/model":"AAAA"}}`} {
		if code, _, text := r.post(t, "/v2/repository/models/m/load", []byte(body)); code != 400 {
			t.Errorf("%s: %d %s", body, code, text)
		}
	}
	_, err := invoke[inference.RepositoryModelLoadResponse](t.Context(), r.dial(t), "RepositoryModelLoad",
		&inference.RepositoryModelLoadRequest{ModelName: "m",
			Parameters: map[string]*inference.ModelRepositoryParameter{"config": {}}})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("gRPC with a config: %v", err)
	}
	a, text := r.ask(t, "POST", "/v2/repository/models/m/unload", "Origin", "https://example.org")
	if a.StatusCode != 403 {
		t.Errorf("another origin: %d %s", a.StatusCode, text)
	}
	if a, text := r.ask(t, "GET", "/v2/models/m/ready"); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, text)
	}
}
