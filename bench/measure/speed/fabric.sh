# shellcheck shell=bash
# fabric.sh -- libfabric's own fi_pingpong, for what is compared with it
#
# To be sourced.  `log` names a file that may be overwritten.

# shellcheck source=bench/measure/timing.sh
. "$(dirname "$0")/../timing.sh"

need_fabric() {
	command -v fi_pingpong >/dev/null && return
	echo "$1: fi_pingpong is missing (Debian: libfabric-bin)" >&2
	exit 3
}

# fabric_table PROVIDER BYTES|all ROUNDS: what fi_pingpong prints
fabric_table() {
	local server

	fi_pingpong -e rdm -m tagged -p "$1" -S "$2" -I "$3" >"$log" 2>&1 &
	server=$!
	sleep 0.5
	fi_pingpong -e rdm -m tagged -p "$1" -S "$2" -I "$3" 127.0.0.1
	wait $server
}

# fabric PROVIDER BYTES ROUNDS: microseconds of one message, one way
fabric() {
	fabric_table "$@" | awk 'END {print $7}'
}
