package serve

import (
	"net/http"
	"strings"
)

// cors lets the pages of an origin read answers. Browsers first ask for leave, without a token: it
// answers these requests.
func (s *Server) cors(next http.Handler) http.Handler {
	if s.Origin == "" {
		return next
	}
	asked := strings.Join([]string{"Authorization", "Content-Type", jsonSizeHeader, requestHeader, traceHeader}, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		header.Add("Vary", "Origin")
		if origin == "" || s.Origin != AnyOrigin && s.Origin != origin {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Origin", s.Origin)
		header.Set("Access-Control-Expose-Headers", jsonSizeHeader+", "+requestHeader+", Retry-After")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", "GET, POST")
		header.Set("Access-Control-Allow-Headers", asked)
		header.Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
	})
}
