#!/bin/sh
# release.sh describe PROGRAM writes THIRD_PARTY_NOTICES.txt and sbom.cdx.json beside a program: what it was linked
# with, and under which licences.
# release.sh pack FOLDER makes an archive and a bill of materials of each FOLDER/programs/SYSTEM/gpdrf-gpu, and
# checksums. The same programs give the same bytes.
set -eu
export LC_ALL=C TZ=UTC
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^const Number = "\(.*\)"/\1/p' internal/version/version.go)
# Without them, go-licenses lists every file of assembly, and cyclonedx-gomod each licence that it cannot tell.
quiet='non-Go code|^/.*\.(s|c|h|S|syso)$|WRN'
permitted=Apache-2.0,BSD-2-Clause,BSD-3-Clause,MIT,Unlicense
# The file of Arrow has the licences of all its languages, which go-licenses cannot tell apart. Linked is Apache-2.0.
arrow=github.com/apache/arrow/go/arrow

tool() { GOOS='' GOARCH='' GOFLAGS='' CGO_ENABLED=0 go build -modfile=internal/release/go.mod -o "$1" "$2"; }

# setting NAME is one that the linker has recorded in the program.
setting() { echo "$built" | sed -n "s/^\tbuild\t$1=//p"; }

# licences COMMAND … asks go-licenses about the packages of the program.
licences() {
	env GOOS="$(setting GOOS)" GOARCH="$(setting GOARCH)" CGO_ENABLED="$(setting CGO_ENABLED)" \
		GOFLAGS="-tags=$(setting -tags)" "$work/go-licenses" "$@" \
		--ignore github.com/gpdrf/gpdrf-gpu --ignore "$arrow" ./cmd/gpdrf-gpu 2>"$work/said" ||
		{ grep -vE "$quiet" "$work/said" >&2; exit 1; }
}

describe() {
	built=$(go version -m "$1")
	rm -rf "$work/licences"
	licences check --allowed_licenses="$permitted"
	licences save --save_path="$work/licences"
	mkdir -p "$work/licences/$arrow" "$work/licences/std"
	cp "$(go list -m -f '{{.Dir}}' "$arrow")/LICENSE.txt" "$work/licences/$arrow"
	cp "$(go env GOROOT)/LICENSE" "$work/licences/std"
	cp --parents data/sets/powerplant/NOTICE "$work/licences"
	{
		echo "gpdrf-gpu contains Go's own library (std, $(go env GOVERSION)) and these modules:"
		echo
		echo "$built" | awk '$1 == "dep" { print "  " $2, $3 }'
		cd "$work/licences"
		echo
		find * -type f | sort | xargs tail -n +1 | tr -d '\r'
		cd - >/dev/null
	} >"$(dirname "$1")/THIRD_PARTY_NOTICES.txt"
	"$work/cyclonedx-gomod" bin -json -licenses -std -noserial -notimestamp -version "v$version" \
		-output "$(dirname "$1")/sbom.cdx.json" "$1" 2>"$work/said" ||
		{ cat "$work/said" >&2; exit 1; }
}

pack() {
	for program in "$1"/programs/*/gpdrf-gpu*; do
		folder=$(dirname "$program")
		describe "$program"
		name=gpdrf-gpu-$version-$(basename "$folder")
		rm -rf "${work:?}/$name"
		mkdir "$work/$name"
		cp "$program" "$folder/THIRD_PARTY_NOTICES.txt" LICENSE README.md "$work/$name"
		chmod 644 "$work/$name"/*
		chmod 755 "$work/$name"/gpdrf-gpu*
		touch -d 1980-01-01 "$work/$name"/* "$work/$name"
		mv "$folder/sbom.cdx.json" "$1/$name.cdx.json"
		case $program in
		*.exe) (cd "$work" && python3 -m zipfile -c new.zip "$name") && mv "$work/new.zip" "$1/$name.zip" ;;
		*)
			tar -C "$work" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner -c "$name" |
				gzip -9n >"$1/$name.tar.gz"
			;;
		esac
	done
	(cd "$1" && sha256sum gpdrf-gpu-* >SHA256SUMS)
}

case ${1-} in
describe | pack) ;;
*) echo "usage: release.sh describe PROGRAM, or release.sh pack FOLDER" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool "$work/go-licenses" github.com/google/go-licenses/v2
tool "$work/cyclonedx-gomod" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
"$1" "$2"
