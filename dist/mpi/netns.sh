#!/bin/sh
# Two network namespaces stand for two machines: they share no memory for messages, and talk by TCP over
# a pair of virtual cards. A training on one rank in each has the bytes of one process.
# usage: netns.sh PROGRAM, with MPI, by make test-netns. It needs root.
set -eu

skip() { echo "two network namespaces: skipped: $1"; exit 0; }
program=$(realpath "$1")
command -v mpirun.openmpi >/dev/null || skip "there is no Open MPI: make mpi"
command -v ip >/dev/null || skip "there is no ip: install the package iproute2"
one=gpdrf-$$-1 two=gpdrf-$$-2
why=$(ip netns add "$one" 2>&1) || skip "ip netns add: $why"
work=$(mktemp -d)
trap 'ip netns del "$one"; ip netns del "$two" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
ip netns add "$two"
why=$(ip link add "v$$-1" netns "$one" type veth peer name "v$$-2" netns "$two" 2>&1) || skip "ip link add: $why"
for end in 1 2; do
	ip -n "gpdrf-$$-$end" link set lo up
	ip -n "gpdrf-$$-$end" addr add "10.99.0.$end/24" dev "v$$-$end"
	ip -n "gpdrf-$$-$end" link set "v$$-$end" up
done

# What mpirun calls in place of ssh: "machine" 10.99.0.2 is the second namespace.
cat >"$work/enter" <<EOF
#!/bin/sh
shift
exec ip netns exec $two sh -c "\$*"
EOF
chmod +x "$work/enter"

cd "$work"
options="--data powerplant --inducing 10 --features 10 --batch 200 --steps 40 --set deterministic=true --threads 1
	--set report=false"
# shellcheck disable=SC2086
"$program" train $options --out alone >alone.log 2>&1 || { cat alone.log; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck disable=SC2086
timeout 300 ip netns exec "$one" mpirun.openmpi --host 10.99.0.1:1,10.99.0.2:1 -np 2 --map-by node --bind-to none \
	--mca plm_rsh_agent "$work/enter" --mca btl tcp,self --mca btl_tcp_if_include 10.99.0.0/24 \
	--mca oob_tcp_if_include 10.99.0.0/24 "$program" train $options --out shared >shared.log 2>&1 ||
	{ cat shared.log; exit 1; }
grep '2 ranks share the training' shared.log
cmp alone/model.safetensors shared/model.safetensors
sent=$(ip -n "$two" -s link show "v$$-2" | awk '/TX:/ { getline; print $1 }')
[ "$sent" -gt 100000 ] || { echo "only $sent bytes went between the namespaces"; exit 1; }
echo "two network namespaces: the same bytes, after $sent bytes by TCP"
