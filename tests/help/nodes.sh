# shellcheck shell=bash
# nodes.sh -- for scripts that need several hosts: network namespaces, here
#
# To be sourced.  The hosts have names and addresses of their own (n1 is
# 10.9.9.1) on a bridge in a network namespace of the script, in whose pid
# namespace all ends with it.  /dev/shm is its own, too.  NODES is the (absolute)
# directory that it lives in.

nodes_new=(unshare --net --uts --mount --pid --fork --kill-child --mount-proc)
[ "$(id -u)" = 0 ] || nodes_new+=(--user --map-root-user)

# nodes_missing: why there cannot be any; nothing: there can
nodes_missing() {
	local name

	for name in ip unshare nsenter; do
		command -v $name >/dev/null || echo "$name is missing"
	done
	"${nodes_new[@]}" ip link add lan type bridge 2>/dev/null ||
		echo "there are no network namespaces here"
}

# nodes_or_skip SCRIPT ARGUMENT...: as nodes_isolate, or end as ctest's "skipped"
nodes_or_skip() {
	local missing

	missing=$(nodes_missing)
	[ -z "$missing" ] || {
		echo "$(basename "$1" .sh): $missing"
		exit 77
	}
	nodes_isolate "$@"
}

# nodes_isolate SCRIPT ARGUMENT...: go on, from the start, in namespaces
nodes_isolate() {
	if [ -z "${NODES_ISOLATED:-}" ]; then
		NODES_ISOLATED=1 exec "${nodes_new[@]}" bash "$@"
	fi
	mount -t tmpfs tmpfs /dev/shm
	hostname head
	ip link set lo up
}

# nodes_start COUNT
nodes_start() {
	local i

	ip link add lan type bridge
	ip addr add 10.9.9.9/24 dev lan
	ip link set lan up
	for ((i = 1; i <= $1; i++)); do
		node_start "$i"
	done
	for ((i = 1; i <= $1; i++)); do
		node_wait "$i"
	done
	# What mpiexec starts its proxies with, instead of ssh.
	cat >"$NODES/enter" <<-ENTER
		#!/bin/bash
		while [[ \$1 = -* ]]; do shift; done
		pid=\$(cat "$NODES/node.\${1##*.}")
		shift
		exec nsenter -t "\$pid" -n -u bash -c "\$*"
	ENTER
	chmod +x "$NODES/enter"
}

node_start() {
	unshare --net --uts bash -c "hostname n$1; exec sleep 3600" \
		>/dev/null 2>&1 &
	echo $! >"$NODES/node.$1"
	until nsenter -t $! -u hostname 2>/dev/null | grep -qx "n$1"; do
		sleep 0.02
	done
	ip link add "port$1" type veth peer name eth0 netns $!
	ip link set "port$1" master lan up
	nsenter -t $! -n ip link set lo up
	nsenter -t $! -n ip addr add "10.9.9.$1/24" dev eth0
	nsenter -t $! -n ip link set eth0 up
}

# node_run I COMMAND...: on that host
node_run() {
	local i=$1

	shift
	nsenter -t "$(cat "$NODES/node.$i")" -n -u "$@"
}

# node_link I up|down: its cable; the node itself sees nothing of it
node_link() {
	ip link set "port$1" "$2"
	[ "$2" = down ] || node_wait "$1"
}

# Until it is refused by the head and the others, instead of not reaching them.
node_wait() {
	local other

	for _ in {1..200}; do
		for other in "$NODES"/node.*[0-9] .9; do
			other=${other##*.}
			[ "$other" = "$1" ] ||
				node_run "$1" bash -c ": </dev/tcp/10.9.9.$other/9" \
					2>&1 | grep -q refused || continue 2
		done
		return
	done
	echo "n$1 does not reach n$other"
}

# nodes_launcher HOSTS RANKS: what starts so many, up to the number itself
nodes_launcher() {
	local hosts=$1 ranks=$2 list i

	for ((i = 1; i <= hosts; i++)); do
		list+=,10.9.9.$i
	done
	# UCX sees that these "hosts" are one, and would take shared memory, or lo.
	export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
	export HYDRA_LAUNCHER_EXEC=$NODES/enter
	launcher="mpiexec.mpich -launcher ssh -localhost 10.9.9.9"
	launcher+=" -hosts ${list#,} -ppn $(((ranks + hosts - 1) / hosts)) -n"
}
