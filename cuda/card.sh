#!/bin/sh
# Checks and times gpdrf-gpu on a machine with a card, from the files that `make card-pack` left beside this script: no Go,
# no compiler and no toolkit is needed. Writes card-DATE.txt and card-DATE.json to $OUT, otherwise to bench/results.
# On the driver test double (GPDRF_CUDA_DRIVER) it tries itself out: nothing goes to bench/results then.
#
#   STEPS                  of the timed training (2000; 10 on the double)
#   LIMIT                  seconds for each stage (480)
#   CUDA_VISIBLE_DEVICES   which GPU; otherwise the first
#
# Exit: 0 if no stage failed, 1 if one did, 2 if there is no GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
program=$here/gpdrf-gpu
device=cuda:0
limit=${LIMIT:-480}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export REQUIRE_CUDA=1

if ! "$program" info --check --device "$device" >"$work/first" 2>&1; then
	cat "$work/first"
	grep -q '^✗' "$work/first" || { echo "card.sh: $device cannot be used, so there is nothing to do" >&2; exit 2; }
fi
card=$("$program" info | sed -n "s/^device  *$device (.*): \(.*\)/\1/p")
out=${OUT:-bench/results}
double=false
steps=${STEPS:-2000}
size=
case $card in "driver test double"*)
	double=true
	steps=${STEPS:-10}
	size='--inducing 20 --features 8 --batch 32 --eval-samples 2'
	echo "This is the driver test double, not a GPU: the times say nothing, and bench/results is not written."
	;;
esac
if $double; then
	case /$(cd "$out" 2>/dev/null && pwd -P || echo "$out")/ in */bench/results/*) out=$here/double ;; esac
fi
mkdir -p "$out" && [ -w "$out" ] || { echo "card.sh: $out cannot be written" >&2; exit 2; }

date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
commit=$(cat "$here/commit" 2>/dev/null || echo unknown)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
$double && driver="test double"
report=$out/card-$(echo "$date" | tr -d ':-')
text=$work/report.txt
stages=$work/stages.json
failed=0
: >"$stages"

# json TEXT is a JSON string.
json() { printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# row NAME STATUS SECONDS NOTE ends a stage.
row() {
	printf '%-24s %-8s %6s s  %s\n' "$1" "$2" "$3" "$4" | tee -a "$text"
	[ ! -s "$stages" ] || printf ',\n' >>"$stages"
	printf '    {"stage": %s, "status": %s, "seconds": %s, "note": %s}' "$(json "$1")" "$(json "$2")" "$3" "$(json "$4")" >>"$stages"
	[ "$2" != FAILED ] || failed=1
}

# stage NAME COMMAND … runs a command; its last line is the note, and the whole is shown if it fails.
stage() {
	name=$1
	shift
	start=$(date +%s)
	if command -v timeout >/dev/null; then set -- timeout "$limit" "$@"; fi
	(cd "$work" && "$@") >"$work/log" 2>&1
	code=$?
	took=$(($(date +%s) - start))
	last=$(grep -v '^$' "$work/log" | tail -n 1)
	case $code in
	0) row "$name" ok "$took" "$last" ;;
	124) row "$name" FAILED "$took" "longer than $limit s" ;;
	*) row "$name" FAILED "$took" "exit $code: $last" ;;
	esac
	[ $code -eq 0 ] || tail -n 40 "$work/log" | sed 's/^/    | /' | tee -a "$text"
	return $code
}

# sanitizer TOOL NAME: three steps of a small model under compute-sanitizer.
sanitizer() {
	if $double; then
		row "$1" "not run" 0 "the test double has its own checks"
	elif ! command -v compute-sanitizer >/dev/null; then
		row "$1" "not run" 0 "compute-sanitizer is not installed"
	else
		stage "$1" compute-sanitizer --tool "$1" --error-exitcode 9 "$program" train --device "$device" --steps 3 --inducing 40 \
			--features 20 --batch 100 --eval-samples 2 --out "$work/$1"
	fi
}

# timed NAME DEVICE: a training of the power plant, and its steps per second.
timed() {
	# shellcheck disable=SC2086
	if stage "train $1" "$program" train --data powerplant --device "$2" --steps "$steps" $size --out "$work/train-$1"; then
		seconds=$(sed -n 's/^ *"seconds": *\([0-9.e+-]*\),*$/\1/p' "$work/train-$1/result.json" | head -n 1)
		rate=$(awk "BEGIN { printf \"%.6g\", $steps / ($seconds > 0.001 ? $seconds : 0.001) }")
	else
		seconds=null rate=null
	fi
	printf '%-24s %s steps/s, %s steps in %s s\n' "" "$rate" "$steps" "$seconds" | tee -a "$text"
	eval "$1_seconds=\$seconds $1_rate=\$rate"
}

{
	echo "gpdrf-gpu on a card: $date, commit $commit"
	$double && echo "THE DRIVER IS THE TEST DOUBLE: no GPU was involved, and the times say nothing of one."
	echo "card    $card"
	echo "driver  ${driver:-unknown}"
	echo "host    $(uname -srm), $(getconf _NPROCESSORS_ONLN) processors"
	echo
} | tee "$text"

stage info "$program" info
stage check "$program" info --check --device "$device"
sed 's/^/    /' "$work/log" | tee -a "$text"
# The two that are left out compare the PTX with its sources, which are not here.
stage "driver" "$here/cuda.test" -test.skip '^(TestPTXIsFresh|TestTableOfContents)$'
stage "conformance f64" "$here/gpu.test" -test.run '^TestF64$'
stage "conformance f32" "$here/gpu.test" -test.run '^TestF32$'
stage "backend" "$here/gpu.test" -test.skip '^TestF(32|64)$'
stage "parity, 20 steps" "$here/train.test" -test.run '^TestCUDA'
sanitizer memcheck
sanitizer racecheck
timed cpu cpu:f32
timed cuda "$device:f32"

cat >"$work/report.json" <<END
{
  "date": $(json "$date"), "commit": $(json "$commit"), "test_double": $double,
  "card": $(json "$card"), "driver": $(json "${driver:-unknown}"), "host": $(json "$(uname -srm)"),
  "units": {"seconds": "s", "rate": "training steps per second"},
  "stages": [
$(cat "$stages")
  ],
  "train": {
    "data": "powerplant", "model": "gpdrf", "options": $(json "$size"), "steps": $steps,
    "cpu": {"seconds": $cpu_seconds, "rate": $cpu_rate}, "cuda": {"seconds": $cuda_seconds, "rate": $cuda_rate}
  },
  "failed": $([ $failed -eq 0 ] && echo false || echo true)
}
END
cp "$text" "$report.txt" && cp "$work/report.json" "$report.json" || exit 1
echo "written: $report.txt and .json"
exit $failed
