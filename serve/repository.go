package serve

import (
	"context"
	"net/http"
)

// The protocol's extension for repositories of models, with Triton's explicit control. The
// repository holds the models of the command line and nothing else: a request names no files.

// modelState is a model of the index.
type modelState struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason"` // of a model that is unavailable
}

// index lists the models, or those alone that can answer.
func (s *store) index(onlyReady bool) []modelState {
	states := []modelState{}
	for _, e := range s.entries {
		state := modelState{e.name, version, "READY", ""}
		if err := s.ready(e.name); err != nil {
			state.State, state.Reason = "UNAVAILABLE", err.Error()
		}
		if state.Reason == "" || !onlyReady {
			states = append(states, state)
		}
	}
	return states
}

// reopen loads a model, whether it is loaded or not. Where its files cannot be read, it stays as it
// was.
func (s *store) reopen(ctx context.Context, name string) error {
	e, err := s.find(name)
	if err != nil {
		return err
	}
	if err := s.waitTurn(ctx); err != nil {
		return err
	}
	defer s.endTurn()
	return s.load(e)
}

// unload drops a model, which is loaded again on request alone.
func (s *store) unload(ctx context.Context, name string) error {
	e, err := s.find(name)
	if err != nil {
		return err
	}
	if err := s.waitTurn(ctx); err != nil {
		return err
	}
	defer s.endTurn()
	s.drop(e, unloaded)
	return nil
}

func (s *Server) postIndex(w http.ResponseWriter, r *http.Request) error {
	var asked struct{ Ready bool }
	if err := s.readCommand(w, r, &asked); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.store.index(asked.Ready))
}

func (s *Server) postLoad(w http.ResponseWriter, r *http.Request) error {
	var asked struct{ Parameters map[string]any }
	if err := s.readCommand(w, r, &asked); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	return s.answerCommand(w, s.load(ctx, r.PathValue("model"), len(asked.Parameters)))
}

func (s *Server) postUnload(w http.ResponseWriter, r *http.Request) error {
	if err := s.readCommand(w, r, &struct{}{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	return s.answerCommand(w, s.store.unload(ctx, r.PathValue("model")))
}

// load refuses Triton's parameters, which bring a model's files or configuration.
func (s *Server) load(ctx context.Context, name string, parameters int) error {
	if parameters > 0 {
		return badf("a model is loaded from the files that serve was started with: leave the parameters out")
	}
	return s.store.reopen(ctx, name)
}

// readCommand reads a body that may be empty. A browser may not send it for a page of another
// server: models are loaded and unloaded by those who run the server.
func (s *Server) readCommand(w http.ResponseWriter, r *http.Request, into any) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return &Error{forbidden, "pages of other servers may ask for predictions alone: " + err.Error()}
	}
	body, done, err := s.body(w, r)
	if err != nil {
		return err
	}
	defer done()
	if len(body) == 0 {
		return nil
	}
	return decode(body, into, protocol)
}

// answerCommand answers without a body, as Triton does.
func (s *Server) answerCommand(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	return writeBody(w, http.StatusOK, "application/json", nil)
}
