package serve

import (
	"context"
	"net/http"
)

// The protocol's extension for repositories of models, with Triton's explicit control. The repository holds the models
// of the command line and nothing else: a request names no files.

type modelState struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason"` // reason why a model is unavailable
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

// reopen loads a model, whether it is loaded or not. Where its files cannot be read, it stays as it was.
func (s *store) reopen(ctx context.Context, name string) error { return s.inTurn(ctx, name, s.load) }

// unload drops a model, which is loaded again on request alone.
func (s *store) unload(ctx context.Context, name string) error {
	return s.inTurn(ctx, name, func(e *entry) error {
		s.drop(e, unloaded)
		return nil
	})
}

// inTurn calls do for a model while no other one is being loaded.
func (s *store) inTurn(ctx context.Context, name string, do func(*entry) error) error {
	e, err := s.find(name)
	if err != nil {
		return err
	}
	if err := s.waitTurn(ctx); err != nil {
		return err
	}
	defer s.endTurn()
	return do(e)
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
	return s.command(w, r, &asked, func(ctx context.Context, name string) error {
		return s.load(ctx, name, len(asked.Parameters))
	})
}

func (s *Server) postUnload(w http.ResponseWriter, r *http.Request) error {
	return s.command(w, r, &struct{}{}, s.store.unload)
}

// command reads a command about a model, does it, and answers without a body, as Triton does.
func (s *Server) command(w http.ResponseWriter, r *http.Request, asked any,
	do func(ctx context.Context, name string) error) error {
	if err := s.readCommand(w, r, asked); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	if err := do(ctx, r.PathValue("model")); err != nil {
		return err
	}
	return writeBody(w, http.StatusOK, "application/json", nil)
}

// load refuses Triton's parameters, which bring a model's files or configuration.
func (s *Server) load(ctx context.Context, name string, parameters int) error {
	if parameters > 0 {
		return invalidf("a model is loaded from the files that serve was started with: leave the parameters out")
	}
	return s.store.reopen(ctx, name)
}

// readCommand reads a body that may be empty. A browser may not send it for a page of another server: models are loaded
// and unloaded by those who run the server.
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
