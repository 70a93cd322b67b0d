package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// text is a file with a licence, or with what its owner asks to be repeated.
type text struct{ name, content string }

// module is what a program was linked with: a module, or Go's own library.
type module struct {
	path, version, sum string
	licences           []string // by SPDX
	texts              []text
}

func (m module) String() string { return m.path + " " + m.version }

// permitted are the licences that a program may be linked under.
var permitted = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "Unlicense"}

// mentioned are further ones in the file of Apache Arrow, which is for all its languages. Nothing
// under them is linked.
var mentioned = []string{"BSL-1.0", "CC-BY-3.0", "CC0-1.0", "HPND", "JSON", "NCSA", "OpenSSL", "Zlib"}

// known is the part of a licence's file in percent that must be that of a licence; the rest are
// names and years.
const known = 75

var (
	isFolder  = regexp.MustCompile(`(?i)^(third[-_]party[-_])?(licen[cs]es|notices)$`)
	isText    = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)([-.].*)?$`)
	isLicence = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying)`)
)

// listed is a package as go list describes it.
type listed struct {
	Dir        string
	EmbedFiles []string
	Module     *struct {
		Path, Dir string
		Main      bool
	}
}

// modules are what a program was linked with, as its linker has recorded it, with their licences
// from the module cache. Source is the folder of this module, whose own notices come with them.
func modules(program, source string) ([]module, error) {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(built, source)
	if err != nil {
		return nil, err
	}
	all := []module{
		{path: built.Main.Path, texts: texts[built.Main.Path]},
		{path: "std", version: strings.Replace(built.GoVersion, "go", "v", 1), texts: texts["std"]},
	}
	for _, m := range built.Deps {
		path := m.Path
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, module{path: m.Path, version: m.Version, sum: m.Sum, texts: texts[path]})
	}
	for i := range all[1:] {
		if err := all[1+i].identify(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// textsOf are the texts of each module whose packages are in a program: those in the folders of the
// packages and of what they embed, and above.
func textsOf(built *debug.BuildInfo, source string) (map[string][]text, error) {
	tags, environment := "", os.Environ()
	for _, s := range built.Settings {
		switch s.Key {
		case "-tags":
			tags = s.Value
		case "GOOS", "GOARCH", "CGO_ENABLED":
			environment = append(environment, s.Key+"="+s.Value)
		}
	}
	list := exec.Command("go", "list", "-deps", "-json=Dir,EmbedFiles,Module", "-tags", tags, built.Path)
	list.Dir, list.Env = source, environment
	out, err := list.Output()
	if err != nil {
		return nil, said(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, said(err)
	}
	texts := map[string][]text{}
	if texts["std"], err = textsIn(strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return texts, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil {
			continue // of Go's own library
		}
		if p.Module.Main {
			seen[p.Module.Dir] = true // its licence is beside the program
		}
		folders := []string{p.Dir}
		for _, file := range p.EmbedFiles {
			folders = append(folders, filepath.Dir(filepath.Join(p.Dir, file)))
		}
		for _, folder := range folders {
			for ; strings.HasPrefix(folder, p.Module.Dir) && !seen[folder]; folder = filepath.Dir(folder) {
				seen[folder] = true
				found, err := textsIn(folder)
				if err != nil {
					return nil, err
				}
				for _, t := range found {
					t.name, _ = filepath.Rel(p.Module.Dir, filepath.Join(folder, t.name))
					texts[p.Module.Path] = append(texts[p.Module.Path], t)
				}
			}
		}
	}
}

// textsIn are the texts in a folder, and in one of its folders that has nothing else.
func textsIn(folder string) (texts []text, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		names := []string{f.Name()}
		if f.IsDir() && isFolder.MatchString(f.Name()) {
			if names, err = fs.Glob(os.DirFS(folder), f.Name()+"/*"); err != nil {
				return nil, err
			}
		} else if !f.Type().IsRegular() || !isText.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		for _, name := range names {
			content, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return nil, err
			}
			lines := strings.ReplaceAll(string(content), "\r\n", "\n")
			texts = append(texts, text{name, strings.Trim(lines, "\n") + "\n"})
		}
	}
	return texts, nil
}

// identify finds the licences of a module. It is an error if there is none, or one that is not
// known or not permitted.
func (m *module) identify() error {
	for _, t := range m.texts {
		if !isLicence.MatchString(filepath.Base(t.name)) {
			continue
		}
		found := licensecheck.Scan([]byte(t.content))
		if found.Percent < known {
			return fmt.Errorf("%v: %s is no licence that is known; see internal/release/modules.go", m, t.name)
		}
		for _, match := range found.Match {
			switch {
			case slices.Contains(permitted, match.ID):
				if !slices.Contains(m.licences, match.ID) {
					m.licences = append(m.licences, match.ID)
				}
			case !slices.Contains(mentioned, match.ID):
				return fmt.Errorf("%v: %s has the licence %s, which is not permitted", m, t.name, match.ID)
			}
		}
	}
	if m.licences == nil {
		return fmt.Errorf("%v has no licence: link another module", m)
	}
	slices.Sort(m.licences)
	return nil
}

// said is an error of a command with its last words.
func said(err error) error {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(failed.Stderr))
	}
	return err
}
