#!/bin/sh
# Checks, trains and times gpdrf-gpu on a machine with a card, from the files that `make card-pack` left beside this
# script: no Go, no compiler and no toolkit is needed, and python3 only for the peers. Results go to $OUT, otherwise to
# bench/results: card-COMMIT.jsonl has a line for each stage, and .json and .txt are made of it. The folder card-COMMIT
# has all that each stage has said, and nvidia-smi of the card. A stage with a line is not run again, so a session that
# was cut goes on where it stopped. On the driver test double (GPDRF_CUDA_DRIVER) it tries itself out, with small sizes
# and a few of the tests: nothing goes to bench/results then.
#
#   STAGES="check bench"   which, by name or by what stands before the first dash; otherwise all
#   AGAIN=1                also those that have a line; AGAIN=failed: of those, the ones that have failed
#   LIMIT                  seconds for each stage (300)
#   TOTAL                  seconds for this call (1500): no stage begins later, and the one at work is stopped and left
#                          for the next call
#   PYTHON                 with PyTorch, for the peers (python3)
#   CUDA_VISIBLE_DEVICES   which GPU; otherwise the first
#
# Exit: 0 if no stage failed, 1 if one did, 2 if there is no GPU or no room for results, 3 if the time was over before
# all were run.
set -u
export LC_ALL=C # figures have a point

here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
began=$(date +%s)
device=cuda:0
limit=${LIMIT:-300} total=${TOTAL:-1500}
python=${PYTHON:-python3}
work=$(mktemp -d) || exit 2
child= sampler=
trap 'test -z "$sampler" || kill "$sampler" 2>/dev/null; rm -rf "$work"' EXIT
trap 'test -z "$child" || { kill "$child"; wait "$child"; } 2>/dev/null; exit 130' HUP INT TERM
export REQUIRE_CUDA=1 GPDRF_DATA="$here/data"
# What the driver compiles is kept from one call to the next.
export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-${TMPDIR:-/tmp}/gpdrf-gpu-compiled}"
mkdir -p "$CUDA_CACHE_PATH" && [ -w "$CUDA_CACHE_PATH" ] || {
	echo "card.sh: CUDA_CACHE_PATH=$CUDA_CACHE_PATH cannot be written" >&2
	exit 2
}
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

# Does it start; is it right, and the same each time; how fast is it; what do NVIDIA's tools find; whole trainings; and
# then the rest. The conformance suite has a test for each precision, F64, F32, …, and one of dry devices.
all="start check-cubin check-ptx bits
$("$work/conformance.test" -test.list '^Test(.*F(32|64)|Dry)$' | sed 's/^Test/conformance-/' | paste -s -d ' ' -)
conformance-backend driver nccl
parity-tests parity-powerplant parity-protein parity-mnist
bench-mnist bench-protein bench-powerplant peers-mnist:S=1 peers-protein
sanitizer-memcheck sanitizer-racecheck train-mnist train-protein train-powerplant ncu
bench-mnist:S=1 bench-mnist:S=100 bench-mnist:S=1,shared bench-mnist:S=100,shared bench-sequences bench-sequences:steps
peers-mnist:S=100 peers-mnist:S=1,shared peers-mnist:S=100,shared peers-protein-gp"

# brief SECONDS COMMAND … is a command that may not take longer. If a card holds it up, it cannot end when it is asked
# to.
brief() {
	if timeout -k 1 1 true 2>/dev/null; then exec timeout -k 5 "$@"; else shift; exec "$@"; fi
}

# timed SECONDS COMMAND … runs a command in $work; its output goes to log, and to the stage's own file. Its code is 124
# if it takes longer.
timed() {
	start=$(date +%s)
	(cd "$work" && brief "$@") >"$work/log" 2>&1 &
	child=$!
	wait $child
	code=$? child=
	took=$(($(date +%s) - start))
	[ $code -ne 137 ] || [ $took -lt "$1" ] || code=124
	[ ! -d "$logs" ] || {
		echo "== $(date -u +%Y-%m-%dT%H:%M:%SZ) exit $code after $took s: $*" && cat "$work/log"
	} >>"$logs/$name.log"
	return $code
}

name=start logs=
timed 180 "$program" info # the driver may compile
card=$(sed -n "s/^device  *$device ([^)]*): \(.*\)/\1/p" "$work/log")
unusable=
case $code:$card in
124:*) unusable="it does not start in 180 s" ;;
[!0]*) unusable="exit $code: $(tail -n 1 "$work/log")" ;;
0:) unusable=$(grep '^no cuda' "$work/log" || echo "info does not name it") ;;
*", which cannot be used: "*) unusable=${card#*, which } card=${card%%, which cannot be used: *} ;;
esac
card=${card%%, kernels_*} card=${card:-unknown}
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
logs=$out/card-$commit
mkdir -p "$logs" && cat "$work/log" >>"$logs/start.log" || exit 2
(brief 30 nvidia-smi -q) >"$logs/nvidia-smi.txt" 2>/dev/null || rm -f "$logs/nvidia-smi.txt"
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
	line=$(printf '{"stage": %s, "status": %s, "seconds": %s, "date": "%s", "card": %s, "note": %s, "details": %s}' \
		"$(json "$1")" "$(json "$2")" "$3" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(json "$card")" "$(json "$4")" "$details")
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

# sampled COMMAND … is within. Meanwhile nvidia-smi writes clocks, power and temperature to a file, and clocks is their
# range.
sampled() {
	readings=$logs/$name.clocks.csv
	nvidia-smi --query-gpu=timestamp,index,clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv,nounits \
		-lms 500 >"$readings" 2>/dev/null &
	sampler=$!
	within "$@"
	{ kill "$sampler"; wait "$sampler"; } 2>/dev/null
	sampler=
	clocks=$(awk -F ', *' 'NR > 1 && $3 + 0 { if (!n++ || $3 < low) low = $3; if ($3 > high) high = $3 }
		END { if (n) printf ", SM at %d to %d MHz", low, high }' "$readings")
	[ -s "$readings" ] || rm "$readings"
	return $code
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

. "$here/stages.sh"

# chosen NAME says whether STAGES has it.
chosen() {
	for word in ${STAGES:-$1}; do
		[ "$word" = "$1" ] || [ "$word" = "${1%%-*}" ] && return 0
	done
	return 1
}

# done_before NAME says whether it has a result, on this card, that is not asked for again.
done_before() {
	last=$(grep -F "{\"stage\": $(json "$1"), " "$found" | grep -F "\"card\": $(json "$card")," | tail -n 1)
	case ${AGAIN:-}:$last in
	:*'"status": "ok"'* | :*'"status": "FAILED"'* | failed:*'"status": "ok"'*) return 0 ;;
	esac
	return 1
}

{
	echo "gpdrf-gpu on a card: $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $commit"
	$double && echo "THE DRIVER IS THE TEST DOUBLE: no GPU was involved, and the times say nothing of one."
	echo "card    $card"
	echo "driver  ${driver:-unknown}"
	echo "host    $(uname -srm), $(getconf _NPROCESSORS_ONLN) processors"
	echo
} | tee -a "$text"

if [ -n "$unusable" ]; then
	took=0
	row start FAILED 0 "$unusable"
	cat "$work/log"
	echo "card.sh: $device cannot be used, so there is nothing to do" >&2
	exit 2
fi
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
lines=$(awk '
	{ split($0, part, "\""); if (!(part[4] in last)) order[++n] = part[4]; last[part[4]] = $0 }
	END { for (i = 1; i <= n; i++) printf "%s    %s", (i > 1 ? ",\n" : ""), last[order[i]] }' "$found")
ends=false
if printf '%s' "$lines" | grep -q '"status": "FAILED"'; then ends=true; fi
whole=$out/card-$commit.json
cat >"$whole.new" <<END && mv "$whole.new" "$whole" || no_room
{
  "commit": $(json "$commit"), "test_double": $double, "card": $(json "$card"), "driver": $(json "${driver:-unknown}"),
  "host": $(json "$(uname -srm), $(getconf _NPROCESSORS_ONLN) processors"),
  "units": {"seconds": "s", "ms": "milliseconds", "steps_per_second": "training steps per second"},
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
