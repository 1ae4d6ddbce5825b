#!/bin/bash
# net_listen.sh -- ranks listen on one interface, and it is the right one
#
# Loopback while all ranks are on one host, the network that hosts share
# otherwise, or --interface.  mpiexec's own sockets are mpiexec's, and not looked
# at.  ASLANT is the command.
set -u

# shellcheck source=tests/help/nodes.sh
. "$(dirname "$0")/help/nodes.sh"
nodes_or_skip "$0" "$@"
NODES=$(mktemp -d)
export NODES
job=
launcher=
trap 'kill $job 2>/dev/null; rm -rf "$NODES"' EXIT

fail() {
	echo "net_listen: $*"
	cat "$NODES/err"
	exit 1
}

# listeners NODE|'': addresses of sockets that ranks have and mpiexec has not
listeners() {
	local in=()

	[ -z "$1" ] || in=(node_run "$1")
	"${in[@]}" ss -Hltnp | awk '/"aslant"/ && !/mpiexec|hydra/ {print $4}' |
		sed 's/:[0-9]*$//' | sort -u
}

# listens WANT NODE|'' OPTION...: of a job of four ranks, all and only these
listens() {
	local want=$1 node=$2 got

	shift 2
	rm -f "$NODES/out"
	ASLANT_LAUNCH=$launcher "$ASLANT" run em-jomma --n 256 --ranks 4 \
		--launch --reps 1000000 --verify none --csv - "$@" \
		>"$NODES/out" 2>"$NODES/err" &
	job=$!
	for _ in {1..600}; do
		[ ! -s "$NODES/out" ] || break
		kill -0 $job 2>/dev/null || fail "$*: did not start"
		sleep 0.05
	done
	got=$(listeners "$node" | paste -sd ' ')
	kill $job
	wait $job
	job=
	[ "$got" = "$want" ] || fail "$*: on '$got', not '$want'"
	echo "ok: ${*:-by default}: $want"
}

ip link add eth9 type bridge
ip addr add 10.1.2.3/24 dev eth9
ip link set eth9 up

export UCX_TLS=sm,self # MPI has no sockets then
listens 127.0.0.1 '' --provider net
listens '' '' --provider shm
listens 10.1.2.3 '' --provider net --interface eth9

says=$("$ASLANT" run em-jomma --n 64 --ranks 2 --launch --interface nowhere 2>&1)
code=$?
[ $code = 3 ] || fail "an interface that is not there: exit code $code, not 3"
[[ $says = *"--interface: found nowhere, expected"*"lo, eth9"* ]] ||
	fail "an interface that is not there: '$says'"

nodes_start 2
nodes_launcher 2 4
listens 10.9.9.1 1 --provider net
listens 10.9.9.2 2 --transport mpi
