# stages.sh: what each stage of card.sh runs. card.sh reads this file, and has its functions and variables.

# now is a time in milliseconds.
now() { echo $(($(date +%s%N) / 1000000)); }

# starts NAME times three trainings of one step: with machine code, with PTX that the driver compiles, and with what it
# has kept of that. What it has kept is there for the other stages.
starts() {
	note= figures= status=ok all_took=0 size=
	$double && size="--inducing 8 --features 8 --batch 32"
	for kind in cubin cold cached; do
		image=ptx
		[ $kind != cubin ] || image=cubin
		began_at=$(now)
		# shellcheck disable=SC2086
		within env GPDRF_CUDA_IMAGE=$image CUDA_CACHE_PATH="$work/kept" "$program" train --data powerplant \
			--device "$device" --steps 1 $size --set report=false --set eval-samples=1 --out "$work/start-$kind"
		ms=$(($(now) - began_at)) all_took=$((all_took + took))
		[ $code -ne 124 ] || [ "$seconds" -ge "$limit" ] || { failed "$1"; return; } # the time of the call is over
		if [ $code -eq 0 ]; then
			note="$note$kind $ms ms, " figures="$figures\"${kind}_ms\": $ms, "
		else
			note="$note$kind: exit $code, $(grep -v '^$' "$work/log" | tail -n 1), "
			[ $kind = cubin ] || status=FAILED
		fi
	done
	[ ! -d "$work/kept" ] || cp -r "$work/kept/." "$CUDA_CACHE_PATH"
	echo "{${figures%, }}" >"$work/starts.json"
	took=$all_took
	row "$1" $status "$took" "${note}driver ${driver:-unknown}" "$work/starts.json"
}

# check NAME IMAGE compares gradients on the GPU and on the CPU: by machine code alone, or by PTX.
check() {
	within env GPDRF_CUDA_IMAGE="$2" "$program" check --device "$device"
	if [ $code -ne 0 ] && grep -q 'the program has no machine code' "$work/log"; then
		row "$1" "not run" "$took" "$(tail -n 1 "$work/log")"
	else
		ended "$1"
		sed 's/^/    /' "$work/log" | tee -a "$text"
	fi
}

# bits NAME: five equal trainings, of which three replay a recorded step and two launch it, make one model, byte for
# byte.
bits() {
	size="--inducing 50 --features 30 --steps 200"
	$double && size="--inducing 8 --features 8 --batch 32 --steps 8"
	different= all_took=0
	for n in 1 2 3 4 5; do
		graph=1
		[ $n -le 3 ] || graph=0
		rm -rf "$work/bits-$n"
		# shellcheck disable=SC2086
		within env GPDRF_CUDA_GRAPH=$graph "$program" train --data powerplant --device "$device" $size \
			--set eval-samples=1 --out "$work/bits-$n" || { failed "$1"; return; }
		all_took=$((all_took + took))
		cmp -s "$work/bits-1/model.safetensors" "$work/bits-$n/model.safetensors" || different="$different $n"
	done
	took=$all_took
	if [ -z "$different" ]; then
		row "$1" ok "$took" "5 trainings make one model: 3 replayed, 2 launched"
	else
		row "$1" FAILED "$took" "the trainings$different differ from the first; 1 to 3 are replayed, 4 and 5 launched"
	fi
}

# sanitizer NAME TOOL: three steps of a small model under compute-sanitizer.
sanitizer() {
	if $double; then
		row "$1" "not run" 0 "the test double has its own checks"
	elif ! command -v compute-sanitizer >/dev/null; then
		row "$1" "not run" 0 "compute-sanitizer is not installed"
	else
		within compute-sanitizer --tool "$2" --error-exitcode 9 "$program" train --device "$device" --steps 3 \
			--inducing 40 --features 20 --batch 100 --set eval-samples=2 --out "$work/run-$1"
		tool "$1" 'Device not supported'
	fi
}

# tool NAME REFUSAL is the row of one of NVIDIA's tools: it was not run where this machine refuses it.
tool() {
	refused=$(grep -om 1 "$2" "$work/log")
	if [ $code -ne 0 ] && [ -n "$refused" ]; then
		row "$1" "not run" "$took" "this machine refuses the tool: $refused"
	else
		ended "$1"
	fi
}

# The step of bench-mnist, on other rows.
mnist_step="--inducing 200 --features 500 --batch 1000 --set latents=50 --set layers=2 --set hidden=50
	--set samples=10 --set q-cov=full --set lengthscales=ard --set spectra=var-resampled --set local-reparam=false
	--set feed-forward=false --set skip=false --set eval-samples=1"

# profile NAME: the heavy kernels of one such step under Nsight Compute.
profile() {
	if $double; then
		row "$1" "not run" 0 "the test double has no counters"
	elif ! command -v ncu >/dev/null; then
		row "$1" "not run" 0 "ncu is not installed"
	else
		awk 'BEGIN {
			srand(1)
			for (r = 0; r < 1200; r++) { for (c = 0; c < 784; c++) printf "%d,", 256 * rand(); print "c" r % 10 }
		}' >"$work/rows.csv"
		# shellcheck disable=SC2086
		within env GPDRF_CUDA_GRAPH=0 ncu --set basic --clock-control none \
			--kernel-name 'regex:^(ard|gemm|features|potrf|moments)' --launch-count 50 \
			"$program" train --data "$work/rows.csv" --device "$device" --steps 1 $mnist_step --out "$work/run-$1"
		echo "$(grep -c ' Duration ' "$work/log") launches" >>"$work/log"
		tool "$1" 'ERR_NVGPUCTRPERM\|LibraryNotLoaded' # counters are for root alone; no driver library for the tool
	fi
}

# tests NAME PROGRAM FEW ARGUMENTS … runs tests; on the test double, the few that this expression names.
tests() {
	name=$1 tested=$work/$2 few=$3
	shift 3
	if $double; then stage "$name" "$tested" -test.run "$few"; else stage "$name" "$tested" "$@"; fi
}

# here_is SET says whether a data set was packed.
here_is() { [ "$1" = powerplant ] || [ -d "$here/data/$1" ]; }

# parity NAME SET: the bounds of 20 steps in double, on the CPU and on the GPU. Adam's ε is larger than usual, so that a
# gradient which is zero but for rounding moves nothing.
parity() {
	here_is "$2" || { row "$1" "not run" 0 "$2 was not packed: GPDRF_DATA"; return; }
	size=
	$double && size="--inducing 20 --features 8 --batch 32"
	echo "adam-eps: 0.001" >"$work/$1.yaml"
	for on in cpu "$device"; do
		rm -rf "$work/$1-$on"
		# shellcheck disable=SC2086
		within "$program" train --data "$2" --device "$on:f64" --steps 20 --config "$work/$1.yaml" \
			--set eval-samples=1 $size --out "$work/$1-$on" || { failed "$1"; return; }
		sed 's/.*"step":\([0-9]*\),"elbo":\([^,]*\),.*/\1 \2/' "$work/$1-$on/metrics.jsonl" >"$work/$1-$on.trace"
	done
	note=$(paste -d ' ' "$work/$1-cpu.trace" "$work/$1-$device.trace" | awk '
		{ d = ($4 - $2) / $2; if (d < 0) d = -d; if (!(d <= worst)) worst = d; n++; if ($1 != $3) n = -1e9 }
		END {
			printf "%d bounds of 20 steps, largest relative difference %.1e, tolerance 1e-07", n, worst
			exit !(n >= 3 && worst <= 1e-7)
		}')
	code=$?
	if [ $code -eq 0 ]; then row "$1" ok "$took" "$note"; else row "$1" FAILED "$took" "$note"; fi
}

# training NAME SET: a whole training on the GPU, with its test scores.
training() {
	here_is "$2" || { row "$1" "not run" 0 "$2 was not packed: GPDRF_DATA"; return; }
	case $2 in
	powerplant) options="" ;;
	protein)
		options="--inducing 500 --set latents=16 --features 500 --batch 512 --lr 0.01"
		options="$options --set gp-lengthscale-factor=0.4 --set drf-lengthscale-factor=0.5 --steps 20000"
		;;
	mnist)
		options="--inducing 500 --set latents=20 --features 500 --lr 0.01 --set feed-forward=false"
		options="$options --set skip=true --set gp-lengthscale-factor=0.2 --time-limit 2m"
		;;
	esac
	$double && options="--inducing 20 --features 8 --batch 32 --set eval-samples=1 --steps 10"
	# shellcheck disable=SC2086
	if within sh -c 'exec "$0" "$@" 2>messages' "$program" train --data "$2" --device "$device" $options --json \
		--out "$work/run-$1"; then
		row "$1" ok "$took" "$(json_values 'steps|seconds|rmse|nlpd|error|nll'), options: ${options:-none}" "$work/log"
	else
		cat "$work/messages" >>"$work/log"
		failed "$1"
	fi
}

# json_values NAMES are the first numbers of those names in the log.
json_values() {
	sed -nE "s/^ *\"($1)\": ([^,]*),?\$/\1 \2/p" "$work/log" | awk '!seen[$1]++' | paste -s -d , - | sed 's/,/, /g'
}

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
	if sampled sh -c 'exec "$0" "$@" 2>messages' "$program" bench --device "$device" --preset "$preset" \
		--size "$size" --seconds $time --json; then
		row "$1" ok "$took" "$(json_values 'steps_per_second|ratio')$clocks" "$work/log"
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
	elif sampled sh -c 'exec "$0" "$@" 2>messages' "$python" "$here/peers/torch_gpdrf.py" --program "$program" \
		--device "$device" --golden "$here/peers/golden.json" --limit 90 "$2"; then
		grep '^  ' "$work/messages" | tee -a "$text"
		ratios=$(sed -n 's/^  *\([a-z]*\) .*ratio *\([0-9.]*\) .*/\1 \2x/p' "$work/messages" | paste -s -d , -)
		row "$1" ok "$took" "$(echo "$ratios" | sed 's/,/, /g')$clocks" "$work/log"
	else
		cat "$work/messages" >>"$work/log"
		failed "$1"
	fi
}

# nccl NAME: the NCCL of this machine, or of its PyTorch, on one GPU: sums that a step records.
nccl() {
	found_by='import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")'
	library=${GPDRF_NCCL:-$("$python" -c "$found_by" 2>/dev/null)}
	[ -e "$library" ] || library=
	if $double; then
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
	start) starts start ;;
	check-*) check "$1" "${1#*-}" ;;
	bits) bits bits ;;
	# Those that are left out read the text and the sources of the PTX, which are not here.
	driver)
		sources='TestPTXIsFresh|TestTableOfContents|TestPackedPTX|TestSignatures|TestParts|TestWordsOfRelease'
		tests "$1" cuda.test '^TestDriver$' -test.skip "^($sources|TestRegisters\$|TestCard)"
		;;
	conformance-backend) tests "$1" gpu.test '^TestFree$' ;;
	conformance-*) tests "$1" conformance.test "^Test${1#*-}\$/Gather" -test.run "^Test${1#*-}\$" ;;
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

