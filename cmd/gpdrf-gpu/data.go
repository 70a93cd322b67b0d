package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/download"
)

func (p *program) dataVerb() verb {
	return verb{
		name: "data", args: "list|fetch|check [SET...]", line: "list, fetch or check the named data sets", run: p.data,
		about: "list shows the sets that --data may name, and where they are " +
			"read from. fetch downloads the public originals of a set into the data folder. A file with a " +
			"wrong checksum is not kept. check compares files with their checksums, for all sets or those named. " +
			"It exits with 0 if all files that are there are right, and with 1 if not.",
		flags: []flagSpec{
			{group: "Data", name: "data-dir", arg: "DIR", help: "folder of the named sets; default: $GPDRF_DATA. " +
				"train takes it as --set data-dir=DIR"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu data list", "the sets and where they are"},
			{"gpdrf-gpu data fetch mnist --data-dir ~/gpdrf-data", "11 MB of images"},
			{"gpdrf-gpu data check", "are the files in $GPDRF_DATA what they should be?"},
		},
	}
}

// data lists, fetches and checks the named sets.
func (p *program) data(c *call) error {
	dir, given := c.text("data-dir")
	if !given {
		dir = os.Getenv(data.DataDirEnv)
	}
	args := c.args
	if len(args) == 0 {
		return usagef("data needs an action: gpdrf-gpu data list, data fetch SET or data check")
	}
	action, names := args[0], args[1:]
	actions := []string{"list", "fetch", "check"}
	if !slices.Contains(actions, action) {
		return usagef("data: unknown action %q%s", action, didyoumean.Hint(action, actions))
	}
	chosen, err := setsNamed(names)
	switch {
	case err != nil:
		return err
	case action == "list":
		return p.listSets(chosen, dir)
	case dir == "":
		return usagef("data %s: say where the sets are: --data-dir DIR, or %s", action, data.DataDirEnv)
	case action == "check":
		return p.checkSets(chosen, dir, len(names) > 0)
	case len(names) == 0:
		return usagef("data fetch: name the sets: %s", strings.Join(data.Names(), ", "))
	}
	return p.fetchSets(chosen, dir)
}

// setsNamed returns the sets of these names, or all sets without names.
func setsNamed(names []string) (chosen []sets.Set, err error) {
	all := sets.All()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(s sets.Set) bool { return s.Name == name })
		if i < 0 {
			return nil, usagef("there is no set %q%s", name,
				cmp.Or(didyoumean.Hint(name, data.Names()), ": gpdrf-gpu data list shows all sets"))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// listedSet is a set with its place and the way to get it.
type listedSet struct {
	sets.Set
	From  string        `json:"from"` // a folder, "embedded", or "" if it is not there
	Get   string        `json:"get"`
	Files []sets.Remote `json:"files,omitempty"`
}

func (p *program) listSets(chosen []sets.Set, dir string) error {
	listed := make([]listedSet, len(chosen))
	t := newTable("set", "training, test rows", "inputs", "target", "folds", "where", "licence")
	t.right = []int{2, 4} // inputs, folds
	for i, s := range chosen {
		l := listedSet{s, s.From(dir), s.Get(dir), s.Remotes()}
		where, target := l.From, s.Task
		if where == "" {
			where = "to get it: " + l.Get
		}
		if s.Classes > 0 {
			target = fmt.Sprintf("%d classes", s.Classes)
		}
		t.add(s.Name, humanize.Comma(int64(s.Train))+", "+humanize.Comma(int64(s.Test)), s.Inputs, target,
			s.Folds, where, s.Licence)
		listed[i] = l
	}
	if p.json {
		return p.printJSON(listed)
	}
	fmt.Fprintln(p.out, strings.Join(t.lines(""), "\n"))
	return nil
}

// checkSets compares files with their checksums. A set without any file is no fault, unless it was named.
func (p *program) checkSets(chosen []sets.Set, dir string, named bool) error {
	all := []sets.FileState{}
	wrong := 0
	for _, s := range chosen {
		states := s.Check(dir)
		there := slices.ContainsFunc(states, func(f sets.FileState) bool { return f.State != "missing" })
		if !there && !named {
			p.note("%s: not there; to get it: %s", s.Name, s.Get(dir))
			continue
		}
		all = append(all, states...)
		for _, f := range states {
			if f.State != "ok" {
				wrong++
			}
			if !p.json {
				fmt.Fprintf(p.out, "%-8s %s\n", f.State, f.Path)
			}
		}
	}
	if p.json {
		if err := p.printJSON(all); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d files are missing or have another checksum", wrong, len(all))
	}
	return nil
}

// fetchSets downloads sets. Ctrl-C keeps the files that are complete.
func (p *program) fetchSets(chosen []sets.Set, dir string) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{Transport: transport, Timeout: 10 * time.Minute} // for a file
	get := func(r sets.Remote, path string) error {
		f := download.File{Bytes: r.Bytes, SHA256: r.SHA256, Addresses: r.Addresses}
		return download.Get(p.ctx, client, f, path)
	}
	var failed error
	for _, s := range chosen {
		if err := s.Fetch(p.ctx, get, dir, p.note); p.ctx.Err() != nil {
			return errInterrupted
		} else if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name, err))
		}
	}
	return failed
}
