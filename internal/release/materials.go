package main

import (
	"debug/buildinfo"
	"io"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// materials writes a program's bill of materials, in CycloneDX: its modules, as its linker has
// recorded them, and Go's own library.
func materials(w io.Writer, program string) error {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	sum, err := checksum(program)
	if err != nil {
		return err
	}
	whole := component(cyclonedx.ComponentTypeApplication, built.Main.Path, "v"+rundir.Version)
	whole.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}}
	whole.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}}
	var settings []cyclonedx.Property
	for _, s := range built.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "-tags" || strings.HasPrefix(s.Key, "vcs.") {
			settings = append(settings, cyclonedx.Property{Name: "build:" + s.Key, Value: s.Value})
		}
	}
	whole.Properties = &settings
	parts := []cyclonedx.Component{
		component(cyclonedx.ComponentTypeLibrary, "std", strings.Replace(built.GoVersion, "go", "v", 1)),
	}
	for _, m := range built.Deps {
		parts = append(parts, library(m))
	}
	var uses []string
	for _, p := range parts {
		uses = append(uses, p.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &whole}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: whole.BOMRef, Dependencies: &uses}}
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// library is a module, or what replaces it.
func library(m *debug.Module) cyclonedx.Component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component(cyclonedx.ComponentTypeLibrary, m.Path, m.Version)
	if m.Sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}}
	}
	return c
}

func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	purl := "pkg:golang/" + path + "@" + url.QueryEscape(version)
	return cyclonedx.Component{BOMRef: purl, Type: kind, Name: path, Version: version, PackageURL: purl}
}
