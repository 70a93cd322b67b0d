package serve

import (
	"strings"
	"testing"
)

// Pages of the origin may read answers and errors. Pages of other origins may not, nor any without
// the option.
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
