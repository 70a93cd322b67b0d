#!/bin/sh
# Checks, trains and times gpdrf-gpu on a machine with a card, from the files that `make card-pack` left beside this script: no Go,
# no compiler and no toolkit is needed, and python3 only for the peers. What another pack has is not run. Results go to $OUT,
# otherwise to bench/results:
# card-COMMIT.jsonl has a line for each stage, and .json and .txt are made of it. A stage with a line there is not run again, so a
# session that was cut goes on where it stopped.
# On the driver test double (GPDRF_CUDA_DRIVER) it tries itself out, with small sizes and a few of the tests: nothing goes to
# bench/results then.
#
#   STAGES="check bench"   which, by name or by what stands before the first dash; otherwise all
#   AGAIN=1                also those that have a line
#   LIMIT                  seconds for each stage (300)
#   TOTAL                  seconds for this call (1500): no stage begins later, and the one at work is stopped and left for the next call
#   PYTHON                 with PyTorch, for the peers (python3)
#   CUDA_VISIBLE_DEVICES   which GPU; otherwise the first
#
# Exit: 0 if no stage failed, 1 if one did, 2 if there is no GPU or no room for results, 3 if the time was over before all were run.
set -u
export LC_ALL=C # figures have a point

here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
began=$(date +%s)
device=cuda:0
limit=${LIMIT:-300} total=${TOTAL:-1500}
python=${PYTHON:-python3}
work=$(mktemp -d) || exit 2
child=
trap 'rm -rf "$work"' EXIT
trap 'test -z "$child" || { kill "$child"; wait "$child"; } 2>/dev/null; exit 130' HUP INT TERM
export REQUIRE_CUDA=1 GPDRF_DATA="$here/data"
# What the driver compiles is kept from one call to the next.
export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-${TMPDIR:-/tmp}/gpdrf-gpu-compiled}"
mkdir -p "$CUDA_CACHE_PATH" && [ -w "$CUDA_CACHE_PATH" ] || { echo "card.sh: CUDA_CACHE_PATH=$CUDA_CACHE_PATH cannot be written" >&2; exit 2; }
# A toolkit is often there without being in PATH.
for folder in /usr/local/cuda/bin /opt/nvidia/nsight-compute/*; do PATH=$PATH:$folder; done

for packed in "$here"/*.gz; do
	name=$(basename "$packed" .gz)
	gzip -dc "$packed" >"$work/$name" && chmod +x "$work/$name" || {
		echo "card.sh: $packed cannot be unpacked to $work: TMPDIR may name a folder with more room" >&2
		exit 2
	}
done
program=$work/gpdrf-gpu
"$program" --version >"$work/log" 2>&1 || {
	cat "$work/log"
	echo "card.sh: the program does not start. It is for $(cat "$here/system"), and this is $(uname -sm)." >&2
	echo "If programs may not run in $work, set TMPDIR to another folder." >&2
	exit 2
}

# Does it start; is it right; how fast is it; what do NVIDIA's tools find; whole trainings; and then the rest. The precisions of the
# conformance suite are those of its tests F64, F32, …
precision='^Test.*F(32|64)$'
all="start
check $([ ! -x "$work/gpu.test" ] || "$work/gpu.test" -test.list "$precision" | sed 's/^Test/conformance-/' | paste -s -d ' ' -) conformance-backend driver nccl
parity-tests parity-powerplant parity-protein parity-mnist
bench-mnist bench-protein bench-powerplant peers-mnist:S=1 peers-protein
sanitizer-memcheck sanitizer-racecheck train-mnist train-protein train-powerplant ncu
bench-mnist:S=1 bench-mnist:S=100 bench-mnist:S=1,shared bench-mnist:S=100,shared bench-sequences bench-sequences:steps
peers-mnist:S=100 peers-mnist:S=1,shared peers-mnist:S=100,shared peers-protein-gp"

# brief SECONDS COMMAND … is a command that may not take longer. If a card holds it up, it cannot end when it is asked to.
brief() {
	if timeout -k 1 1 true 2>/dev/null; then exec timeout -k 5 "$@"; else shift; exec "$@"; fi
}

# timed SECONDS COMMAND … runs a command in $work; its output goes to log. Its code is 124 if it takes longer.
timed() {
	start=$(date +%s)
	(cd "$work" && brief "$@") >"$work/log" 2>&1 &
	child=$!
	wait $child
	code=$? child=
	took=$(($(date +%s) - start))
	[ $code -ne 137 ] || [ $took -lt "$1" ] || code=124
	return $code
}

echo "The first start: the driver may compile for some minutes."
timed 180 "$program" check --device "$device"
compiling=$(($(date +%s) - began))
if [ $code -ne 0 ]; then
	cat "$work/log"
	[ $code -ne 124 ] || { echo "card.sh: check takes longer than 180 s on $device" >&2; exit 2; }
	grep -q '^✗' "$work/log" || { echo "card.sh: $device cannot be used, so there is nothing to do" >&2; exit 2; }
fi
timed 60 "$program" info
card=$(sed -n "s/^device  *$device (.*): \(.*\)/\1/p" "$work/log")
out=${OUT:-bench/results}
double=false
case $card in "driver test double"*)
	double=true
	echo "This is the driver test double, not a GPU: the times say nothing, and bench/results is not written."
	case /$(cd "$out" 2>/dev/null && pwd -P || echo "$out")/ in */bench/results/*) out=$here/double ;; esac
	;;
esac
mkdir -p "$out" && [ -w "$out" ] || { echo "card.sh: $out cannot be written" >&2; exit 2; }
out=$(cd "$out" && pwd -P)

commit=$(cat "$here/commit" 2>/dev/null || echo unknown)
driver=$(brief 30 nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
$double && driver="test double"
found=$out/card-$commit.jsonl
for earlier in "bench/results/card-$commit.jsonl" "bench/results/card-$commit.txt"; do
	# What earlier calls found, where results go to a new folder each time.
	[ -e "$out/$(basename "$earlier")" ] || $double || [ ! -e "$earlier" ] || cp "$earlier" "$out"
done
text=$out/card-$commit.txt
touch "$found" "$text" || exit 2

# json TEXT is a JSON string.
json() { printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# no_room ends the script, since results cannot be kept.
no_room() {
	echo "card.sh: $out cannot be written: is the disk full? OUT may name another folder" >&2
	exit 2
}

# row NAME STATUS SECONDS NOTE [FILE] ends a stage; the file is JSON that belongs to it.
row() {
	printf '%-28s %-8s %5s s  %s\n' "$1" "$2" "$3" "$4" | tee -a "$text"
	details=null
	[ $# -lt 5 ] || details=$(tr '\n' ' ' <"$5")
	line=$(printf '{"stage": %s, "status": %s, "seconds": %s, "date": "%s", "card": %s, "note": %s, "details": %s}' "$(json "$1")" "$(json "$2")" "$3" \
		"$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(json "$card")" "$(json "$4")" "$details")
	{ cat "$found" && printf '%s\n' "$line"; } >"$found.new" && mv "$found.new" "$found" || no_room
}

# left is the time that this call still has.
left() { echo $((total - $(date +%s) + began)); }

# within COMMAND … runs a command within the limits.
within() {
	seconds=$limit
	[ "$(left)" -ge "$seconds" ] || seconds=$(left)
	[ "$seconds" -gt 0 ] || seconds=1
	timed "$seconds" "$@"
}

# failed NAME says why a command failed, and shows the end of what it said.
failed() {
	note="exit $code: $(grep -v '^$' "$work/log" | tail -n 1)"
	if [ $code -eq 124 ] && [ "$seconds" -lt "$limit" ]; then
		echo "$1: stopped after $took s, since the time of this call is over" | tee -a "$text"
		return
	fi
	[ $code -ne 124 ] || note="longer than $limit s"
	row "$1" FAILED "$took" "$note"
	tail -n 40 "$work/log" | sed 's/^/    | /' | tee -a "$text"
}

# ended NAME is the row of a command; the last line that it said is the note.
ended() {
	if [ $code -eq 0 ]; then row "$1" ok "$took" "$(grep -v '^$' "$work/log" | tail -n 1)"; else failed "$1"; fi
}

# stage NAME COMMAND … runs a command.
stage() {
	name=$1
	shift
	within "$@"
	ended "$name"
}

# sanitizer NAME TOOL: three steps of a small model under compute-sanitizer.
sanitizer() {
	if $double; then
		row "$1" "not run" 0 "the test double has its own checks"
	elif ! command -v compute-sanitizer >/dev/null; then
		row "$1" "not run" 0 "compute-sanitizer is not installed"
	else
		within compute-sanitizer --tool "$2" --error-exitcode 9 "$program" train --device "$device" --steps 3 --inducing 40 \
			--features 20 --batch 100 --set eval-samples=2 --out "$work/run-$1"
		tool "$1" 'Device not supported'
	fi
}

# tool NAME REFUSAL is the row of one of NVIDIA's tools: it was not run where this machine refuses it.
tool() {
	refused=$(grep -om 1 "$2" "$work/log")
	if [ $code -ne 0 ] && [ -n "$refused" ]; then row "$1" "not run" "$took" "this machine refuses the tool: $refused"; else ended "$1"; fi
}

# profile NAME: the heavy kernels of one step under Nsight Compute.
profile() {
	if $double; then
		row "$1" "not run" 0 "the test double has no counters"
	elif ! command -v ncu >/dev/null; then
		row "$1" "not run" 0 "ncu is not installed"
	else
		set=powerplant
		! here_is mnist || set=mnist
		within env GPDRF_CUDA_GRAPH=0 ncu --set basic --clock-control none --kernel-name 'regex:^(ard|gemm|features|potrf|integrated)' --launch-count 20 \
			"$program" train --data "$set" --device "$device" --steps 1 --set eval-samples=1 --out "$work/run-$1"
		tool "$1" 'ERR_NVGPUCTRPERM\|LibraryNotLoaded' # counters are for root alone; no driver library for the tool
		cp "$work/log" "$out/card-$commit-ncu.txt"
	fi
}

# tests NAME PROGRAM FEW ARGUMENTS … runs tests; on the test double, the few that this expression names.
tests() {
	name=$1 tested=$work/$2 few=$3
	shift 3
	if [ ! -x "$tested" ]; then row "$name" "not run" 0 "another pack has its tests"
	elif $double; then stage "$name" "$tested" -test.run "$few"; else stage "$name" "$tested" "$@"; fi
}

# here_is SET says whether a data set was packed.
here_is() { [ "$1" = powerplant ] || [ -d "$here/data/$1" ]; }

# parity NAME SET: the bounds of 20 steps in double, on the CPU and on the GPU. Adam's ε is larger than usual, so that a gradient which is
# zero but for rounding moves nothing.
parity() {
	here_is "$2" || { row "$1" "not run" 0 "$2 was not packed: GPDRF_DATA"; return; }
	size=
	$double && size="--inducing 20 --features 8 --batch 32"
	echo "adam-eps: 0.001" >"$work/$1.yaml"
	for on in cpu "$device"; do
		rm -rf "$work/$1-$on"
		# shellcheck disable=SC2086
		within "$program" train --data "$2" --device "$on:f64" --steps 20 --config "$work/$1.yaml" --set eval-samples=1 $size --out "$work/$1-$on" || { failed "$1"; return; }
		sed 's/.*"step":\([0-9]*\),"elbo":\([^,]*\),.*/\1 \2/' "$work/$1-$on/metrics.jsonl" >"$work/$1-$on.trace"
	done
	note=$(paste -d ' ' "$work/$1-cpu.trace" "$work/$1-$device.trace" | awk '
		{ d = ($4 - $2) / $2; if (d < 0) d = -d; if (!(d <= worst)) worst = d; n++; if ($1 != $3) n = -1e9 }
		END { printf "%d bounds of 20 steps, largest relative difference %.1e, tolerance 1e-07", n, worst; exit !(n >= 3 && worst <= 1e-7) }')
	code=$?
	if [ $code -eq 0 ]; then row "$1" ok "$took" "$note"; else row "$1" FAILED "$took" "$note"; fi
}

# training NAME SET: a whole training on the GPU, with its test scores.
training() {
	here_is "$2" || { row "$1" "not run" 0 "$2 was not packed: GPDRF_DATA"; return; }
	case $2 in
	powerplant) options="" ;;
	protein) options="--inducing 500 --set latents=16 --features 500 --batch 512 --lr 0.01 --set gp-lengthscale-factor=0.4 --set drf-lengthscale-factor=0.5 --steps 20000" ;;
	mnist) options="--inducing 500 --set latents=20 --features 500 --lr 0.01 --set feed-forward=false --set skip=true --set gp-lengthscale-factor=0.2 --time-limit 2m" ;;
	esac
	$double && options="--inducing 20 --features 8 --batch 32 --set eval-samples=1 --steps 10"
	# shellcheck disable=SC2086
	if within sh -c 'exec "$0" "$@" 2>messages' "$program" train --data "$2" --device "$device" $options --json --out "$work/run-$1"; then
		row "$1" ok "$took" "$(json_values 'steps|seconds|rmse|nlpd|error|nll'), options: ${options:-none}" "$work/log"
	else
		cat "$work/messages" >>"$work/log"
		failed "$1"
	fi
}

# json_values NAMES are the first numbers of those names in the log.
json_values() { sed -nE "s/^ *\"($1)\": ([^,]*),?\$/\1 \2/p" "$work/log" | awk '!seen[$1]++' | paste -s -d , - | sed 's/,/, /g'; }

# bench NAME PRESET[:SIZE].
bench() {
	preset=${2%%:*} size= time=20
	[ "$preset" = "$2" ] || size=${2#*:}
	if $double; then
		case $preset in
		sequences) size=M=8,R=6,B=8,J=2,S=2,$size ;;
		*) size=M=8,R=6,B=8,J=2,D=4,S=2 ;;
		esac
		time=1
	fi
	if within sh -c 'exec "$0" "$@" 2>messages' "$program" bench --device "$device" --preset "$preset" --size "$size" --seconds $time --json; then
		row "$1" ok "$took" "$(json_values 'steps_per_second|ratio')" "$work/log"
	else
		cat "$work/messages" >>"$work/log"
		failed "$1"
	fi
}

# peers NAME WORKLOAD: PyTorch and GPyTorch at the same step.
peers() {
	if $double; then
		row "$1" "not run" 0 "the times of the test double say nothing"
	elif ! "$python" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
		row "$1" "not run" 0 "$python has no PyTorch that sees a GPU"
	elif within sh -c 'exec "$0" "$@" 2>messages' "$python" "$here/peers/torch_gpdrf.py" --program "$program" --device "$device" --golden "$here/peers/golden.json" --limit 90 "$2"; then
		grep '^  ' "$work/messages" | tee -a "$text"
		row "$1" ok "$took" "$(sed -n 's/^  *\([a-z]*\) .*ratio *\([0-9.]*\) .*/\1 \2x/p' "$work/messages" | paste -s -d , - | sed 's/,/, /g')" "$work/log"
	else
		cat "$work/messages" >>"$work/log"
		failed "$1"
	fi
}

# nccl NAME: the NCCL of this machine, or of its PyTorch, on one GPU: sums that a step records.
nccl() {
	library=${GPDRF_NCCL:-$("$python" -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")' 2>/dev/null)}
	[ -e "$library" ] || library=
	if [ ! -x "$work/nccl.test" ]; then
		row "$1" "not run" 0 "another pack has its test"
	elif $double; then
		row "$1" "not run" 0 "NCCL does not run on the test double"
	elif ! within env GPDRF_NCCL="$library" ./nccl.test -test.v -test.run '^TestOneRank$'; then
		failed "$1"
	elif grep -q '^--- SKIP' "$work/log"; then
		row "$1" "not run" "$took" "$(sed -n 's/.*no NCCL library: //p' "$work/log")"
	else
		row "$1" ok "$took" "$(sed -n 's/.*done with //p' "$work/log")"
	fi
}

run() {
	case $1 in
	start) row start ok "$compiling" "driver ${driver:-unknown}, with what it compiled for $card" ;;
	check)
		stage check "$program" check --device "$device"
		sed 's/^/    /' "$work/log" | tee -a "$text"
		;;
	# Those that are left out read the text and the sources of the PTX, which are not here.
	driver) tests "$1" cuda.test '^TestDriver$' -test.skip '^(TestPTXIsFresh|TestTableOfContents|TestPackedPTX|TestSignatures|TestRegisters$|TestCard)' ;;
	conformance-backend) tests "$1" gpu.test '^TestFree$' -test.skip "$precision" ;;
	conformance-*F*) tests "$1" gpu.test "^Test${1#*-}\$/Gather" -test.run "^Test${1#*-}\$" ;;
	nccl) nccl "$1" ;;
	ncu) profile ncu ;;
	sanitizer-*) sanitizer "$1" "${1#*-}" ;;
	parity-tests) tests "$1" train.test '^TestCUDANotFinite$' -test.run '^TestCUDA' ;;
	parity-*) parity "$1" "${1#*-}" ;;
	train-*) training "$1" "${1#*-}" ;;
	bench-*) bench "$1" "${1#*-}" ;;
	peers-*) peers "$1" "${1#*-}" ;;
	*) echo "card.sh: there is no stage $1: $all" >&2; exit 2 ;;
	esac
}

# chosen NAME says whether STAGES has it.
chosen() {
	for word in ${STAGES:-$1}; do
		[ "$word" = "$1" ] || [ "$word" = "${1%%-*}" ] && return 0
	done
	return 1
}

# done_before NAME says whether it has a result, on this card.
done_before() {
	[ -z "${AGAIN:-}" ] && grep -F "{\"stage\": $(json "$1"), " "$found" | grep -F "\"card\": $(json "$card")," | grep -qE '"status": "(ok|FAILED)"'
}

{
	echo "gpdrf-gpu on a card: $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $commit"
	$double && echo "THE DRIVER IS THE TEST DOUBLE: no GPU was involved, and the times say nothing of one."
	echo "card    $card"
	echo "driver  ${driver:-unknown}"
	echo "host    $(uname -srm), $(getconf _NPROCESSORS_ONLN) processors"
	echo
} | tee -a "$text"

stages=$all
for word in ${STAGES:-}; do # sizes that are not in the list may be asked for
	case " $(echo $all) " in *" $word "* | *" $word-"*) ;; *) stages="$stages $word" ;; esac
done
over=false
for name in $stages; do
	chosen "$name" || continue
	if done_before "$name"; then
		echo "$name: there is a result"
	elif [ "$(left)" -lt 20 ]; then
		echo "$name: left for the next call"
		over=true
	else
		echo "$name: begins, with $(left) s left"
		run "$name"
		done_before "$name" || [ "$(left)" -ge 20 ] || over=true
	fi
done

# The last line of each stage counts.
lines=$(awk '{ split($0, part, "\""); if (!(part[4] in last)) order[++n] = part[4]; last[part[4]] = $0 } END { for (i = 1; i <= n; i++) printf "%s    %s", (i > 1 ? ",\n" : ""), last[order[i]] }' "$found")
ends=false
if printf '%s' "$lines" | grep -q '"status": "FAILED"'; then ends=true; fi
whole=$out/card-$commit.json
cat >"$whole.new" <<END && mv "$whole.new" "$whole" || no_room
{
  "commit": $(json "$commit"), "test_double": $double, "card": $(json "$card"), "driver": $(json "${driver:-unknown}"),
  "host": $(json "$(uname -srm), $(getconf _NPROCESSORS_ONLN) processors"), "units": {"seconds": "s", "ms": "milliseconds", "steps_per_second": "training steps per second"},
  "failed": $ends,
  "stages": [
$lines
  ]
}
END
echo "written: $out/card-$commit.jsonl, .json and .txt"
$ends && exit 1
$over && exit 3
exit 0
