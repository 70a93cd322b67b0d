package main

import (
	"debug/buildinfo"
	"io"
	"net/url"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// materials writes a program's bill of materials, in CycloneDX: what it was linked with, under
// which licences.
func materials(w io.Writer, program string, all []module) error {
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
	var parts []cyclonedx.Component
	for _, m := range all[1:] {
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

// library is a module as a component.
func library(m module) cyclonedx.Component {
	c := component(cyclonedx.ComponentTypeLibrary, m.path, m.version)
	var licences cyclonedx.Licenses
	for _, id := range m.licences {
		licences = append(licences, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	c.Licenses = &licences
	if m.sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.sum}}
	}
	return c
}

func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	purl := "pkg:golang/" + path + "@" + url.QueryEscape(version)
	return cyclonedx.Component{BOMRef: purl, Type: kind, Name: path, Version: version, PackageURL: purl}
}
