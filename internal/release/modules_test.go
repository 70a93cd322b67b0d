package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// program is one of this module: release itself, which is small.
var program string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	folder, err := os.MkdirTemp("", "release")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "gpdrf-gpu")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

// The notices have each module that the linker has recorded, and the text of its licence.
func TestNotices(t *testing.T) {
	all, err := modules(program, "../..")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := notices(&b, all); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	folders := map[string]string{"std v1.": root}
	for _, m := range info.Deps {
		escaped := strings.ReplaceAll(m.Path, "CycloneDX", "!cyclone!d!x")
		folders[m.Path+" "+m.Version+": "] = filepath.Join(cache, escaped+"@"+m.Version)
	}
	if len(folders) < 10 {
		t.Errorf("%d modules", len(folders))
	}
	for line, folder := range folders {
		if !strings.Contains(b.String(), "\n  "+line) {
			t.Errorf("no line begins with %q", line)
		}
		var licences []string
		for _, pattern := range []string{"*LICEN[CS]E", "*LICEN[CS]E.*", "*LICEN[CS]ES/*"} {
			found, _ := filepath.Glob(filepath.Join(folder, pattern))
			licences = append(licences, found...)
		}
		if len(licences) == 0 {
			t.Errorf("%s has no licence", folder)
		}
		for _, file := range licences {
			licence, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.TrimSpace(string(licence)); !strings.Contains(b.String(), text) {
				t.Errorf("%s is missing", file)
			}
		}
	}
	if !strings.Contains(b.String(), "data/sets/powerplant/NOTICE") {
		t.Error("the data set has no notice")
	}
}

// A module without a licence, or with one that is unknown or asks for more than notices, is an
// error that names it.
func TestUnknownLicence(t *testing.T) {
	const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this
software and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
	const gpl = `
This program is free software: you can redistribute it and/or modify it under the terms of the GNU
General Public License as published by the Free Software Foundation, either version 3 of the
License, or (at your option) any later version.`
	for _, c := range []struct{ file, content, want string }{
		{"LICENSE", mit, ""},
		{"COPYING.md", strings.ReplaceAll(mit, "\n", "\r\n"), ""},
		{"README", mit, "example.org/m v1.0.0 has no licence"},
		{"LICENSE", "All rights reserved.", "example.org/m v1.0.0: LICENSE is no licence that is known"},
		{"LICENSE", mit + gpl, "LICENSE has the licence GPL-3.0-or-later, which is not permitted"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		texts, err := textsIn(folder)
		if err != nil {
			t.Fatal(err)
		}
		m := module{path: "example.org/m", version: "v1.0.0", texts: texts}
		err = m.identify()
		if c.want == "" && (err != nil || strings.Join(m.licences, " ") != "MIT") ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v, want %q", c.file, m.licences, err, c.want)
		}
	}
}

// A bill of materials names what a program was linked with, and its licences.
func TestMaterials(t *testing.T) {
	if err := describe(program, "../.."); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(filepath.Dir(program), materialsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bom := cyclonedx.NewBOM()
	if err := cyclonedx.NewBOMDecoder(file, cyclonedx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	sum, err := checksum(program)
	if err != nil {
		t.Fatal(err)
	}
	whole := bom.Metadata.Component
	if whole.Version != "v"+rundir.Version || (*whole.Hashes)[0].Value != sum {
		t.Errorf("the program: %+v", whole)
	}
	found := map[string]string{}
	for _, c := range *bom.Components {
		found[c.Name] = c.PackageURL + " " + (*c.Licenses)[0].License.ID
	}
	const module = "github.com/CycloneDX/cyclonedx-go"
	if got := found[module]; !strings.HasPrefix(got, "pkg:golang/"+module+"@v0.") ||
		!strings.HasSuffix(got, " Apache-2.0") || !strings.HasPrefix(found["std"], "pkg:golang/std@v1.") {
		t.Errorf("components: %v", found)
	}
	if uses := *(*bom.Dependencies)[0].Dependencies; len(uses) != len(*bom.Components) {
		t.Errorf("%d components, and %d dependencies", len(*bom.Components), len(uses))
	}
	if err := describe("main.go", "../.."); err == nil {
		t.Error("a text has a bill of materials")
	}
}

// The validator of CycloneDX's own library accepts a bill of materials, and no licence that SPDX
// does not have.
func TestValidator(t *testing.T) {
	needs := exec.Command("python3", "-c", "import cyclonedx.validation.json, jsonschema")
	if out, err := needs.CombinedOutput(); err != nil {
		if os.Getenv("REQUIRE_PYTHON") != "" {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Skip("needs python3 with cyclonedx-python-lib[json-validation]: make python")
	}
	all, err := modules(program, "../..")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := materials(&b, program, all); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(b.String(), `"id": "MIT"`, `"id": "MITT"`, 1)
	for text, want := range map[string]bool{b.String(): true, wrong: false} {
		file := filepath.Join(t.TempDir(), materialsFile)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("python3", "validate.py", file).CombinedOutput(); (err == nil) != want {
			t.Errorf("want %v: %v\n%s", want, err, out)
		}
	}
}
