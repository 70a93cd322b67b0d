#!/bin/sh
# check.sh FOLDER DOUBLE checks the files of make dist: their checksums, that each program is for its system and that
# those of Linux start, where this machine or qemu can run them. With CUDA, machine code of known cards is chosen on the
# driver test double, and the PTX for others and for older drivers.
set -eu
folder=$1 double=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "check.sh: $*" >&2
	exit 1
}

(cd "$folder" && sha256sum -c --quiet SHA256SUMS) || fail "a checksum is wrong"
for archive in "$folder"/*.tar.gz; do tar -xzf "$archive" -C "$work"; done
for archive in "$folder"/*.zip; do python3 -m zipfile -e "$archive" "$work"; done

# says NAME PATTERN COMMAND … is a command whose output must have a line with the pattern.
says() {
	name=$1 pattern=$2
	shift 2
	"$@" >"$work/said" 2>&1 || { cat "$work/said"; fail "$name: $* has failed"; }
	grep -qE "$pattern" "$work/said" || { cat "$work/said"; fail "$name: $* does not say $pattern"; }
}

# trains NAME DEVICE COMMAND … trains for some steps.
trains() {
	name=$1 device=$2
	shift 2
	says "$name" 'RMSE' "$@" train --device "$device" --steps 20 --inducing 20 --features 20 \
		--set eval-samples=2 --out "$work/run-$name"
}

# kind PATTERN says what file calls a program of a system.
kind() {
	case $1 in
	linux-amd64*) echo 'ELF 64-bit .*x86-64' ;;
	linux-arm64*) echo 'ELF 64-bit .*aarch64' ;;
	darwin-amd64) echo 'Mach-O 64-bit .*x86_64' ;;
	darwin-arm64) echo 'Mach-O 64-bit .*arm64' ;;
	windows-amd64) echo 'PE32\+ .*x86-64' ;;
	windows-arm64) echo 'PE32\+ .*Aarch64' ;;
	esac
}

for system in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64 linux-amd64-cuda \
	linux-arm64-cuda; do
	program=$(echo "$work"/gpdrf-gpu-*-$system/gpdrf-gpu*)
	# the zipfile of Python sets no modes
	case $system in
	windows-*) [ -s "$program" ] ;;
	*) [ -x "$program" ] ;;
	esac || fail "there is no program for $system"
	for file in LICENSE THIRD_PARTY_NOTICES.txt; do
		[ -s "$(dirname "$program")/$file" ] || fail "$system: there is no $file beside the program"
	done
	says "$system" "$(kind "$system")" file -b "$program"
	case $system in
	*-cuda) # docs/cuda.md names it
		newest=$(readelf -V "$program" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
		[ "$newest" = GLIBC_2.34 ] || fail "$system needs $newest"
		;;
	esac
	bom=$(echo "$folder"/gpdrf-gpu-*-$system.cdx.json)
	grep -q "$(sha256sum "$program" | cut -d ' ' -f 1)" "$bom" || fail "$bom is not of the program"
	case $system in
	linux-amd64*) [ "$(uname -m)" = x86_64 ] || continue ;;
	linux-arm64*)
		command -v qemu-aarch64-static >/dev/null || continue
		program="qemu-aarch64-static -L /usr/aarch64-linux-gnu $program"
		;;
	*) continue ;;
	esac
	# shellcheck disable=SC2086
	says "$system" '^gpdrf-gpu .*[0-9]+\.[0-9]+\.[0-9]+' $program --version
	# shellcheck disable=SC2086
	says "$system" '^gpdrf-gpu [0-9.]+ of v[0-9].*, go' $program info
	case $system in
	*-cuda) says "$system" '^(device +cuda|no cuda +no NVIDIA driver)' $program info ;;
	*) says "$system" "^no cuda +built without CUDA: the release file for $system-cuda has it" $program info ;;
	esac
	[ "$system" = linux-arm64-cuda ] || trains "$system" cpu $program
	echo "$system runs"
done

[ "$(uname -m)" = x86_64 ] || exit 0
program=$(echo "$work"/gpdrf-gpu-*-linux-amd64-cuda/gpdrf-gpu)
export GPDRF_CUDA_DRIVER="$double"
for pair in 7.5:sm_75 8.0:sm_80 8.6:sm_86 8.9:sm_89 9.0:sm_90 10.0:sm_100 12.0:sm_120; do
	export EMU_CAPABILITY=${pair%:*}
	says "$pair" "capability $EMU_CAPABILITY, .*kernels_sm.*: machine code for ${pair#*:}\$" "$program" info
	EMU_LOG=1 says "$pair" '^✓' "$program" check
	! grep -q '^double: ' "$work/said" || { cat "$work/said"; fail "$pair: the driver refuses a call"; }
	echo "$pair is chosen"
done
trains double cuda "$program"
export EMU_CAPABILITY=7.0
says 7.0 'kernels_sm70.ptx .*: PTX that the driver compiles$' "$program" info
export EMU_CAPABILITY=9.0
EMU_CUBINS=0 says "an older driver" '^✓' "$program" check
EMU_CUBINS=0 says "an older driver" 'it refuses the machine code: loading' "$program" check
GPDRF_CUDA_IMAGE=cubin says "cubins alone" '^✓' "$program" check
