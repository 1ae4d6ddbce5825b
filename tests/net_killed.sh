#!/bin/bash
# net_killed.sh -- whoever is killed, the job ends soon, says who, leaves nothing
#
# Kills the rank itself or its guard, for each transport.  BUILD is the build
# directory.
set -u

ranks=3
limit_ms=10000
program=${BUILD:?}/tests/net_messages
work=$(mktemp -d)
launcher=
trap 'kill $launcher 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# A rank that is sent a SIGSEGV dies of it, under a sanitizer, too.
export ASAN_OPTIONS=handle_segv=0

fail() {
	echo "net_killed: $*"
	sed 's/^/  stdout: /' "$work/out"
	sed 's/^/  stderr: /' "$work/err"
	exit 1
}

# Zombies have ended; when init takes notice of orphans is its own business.
alive() {
	ps -o stat= -p "$(tr -s ' ' , <<<"${pids# }")" | grep -qv '^Z'
}

# What is new in /dev/shm and named as libfabric (by process), UCX or MPICH do;
# others may be at work there too.
left_files() {
	local names

	names=$(tr -s ' ' '|' <<<"${pids# }")
	find /dev/shm -mindepth 1 | sort | comm -13 "$work/before" - |
		grep -E "/(($names)\b|ucx|mpich|psm|fi_|sm2)"
}

now_ms() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# case_of TRANSPORT PROVIDER rank|guard RANK SIGNAL
case_of() {
	local what="$1 $2: $3 of rank $4 by $5" victim status began took guard files

	find /dev/shm -mindepth 1 | sort >"$work/before"
	: >"$work/out" # or the loop may still see the case before
	mpiexec.mpich -n $ranks "$program" "$1" "$2" loop \
		>"$work/out" 2>"$work/err" &
	launcher=$!
	for _ in {1..1000}; do
		[ "$(grep -c 'runs as' "$work/out")" = $ranks ] && break
		sleep 0.02
	done
	pids=
	while read -r victim; do
		guard=$(ps -o ppid= -p "$victim" | tr -d ' ')
		pids="$pids $victim $guard"
	done < <(sed -n 's/.*runs as //p' "$work/out")
	victim=$(sed -n "s/rank $4 runs as //p" "$work/out")
	[ -n "$victim" ] || fail "$what: did not start"
	[ "$3" = guard ] && victim=$(ps -o ppid= -p "$victim" | tr -d ' ')

	began=$(now_ms)
	kill "-$5" "$victim"
	wait $launcher
	status=$?
	launcher=
	[ $status -ne 0 ] || fail "$what: mpiexec says all is well"
	took=$(($(now_ms) - began))
	[ $took -lt $limit_ms ] || fail "$what: took $took ms to end"
	grep -q "aslant: rank $4 (pid" "$work/err" ||
		fail "$what: nobody says which rank"
	for _ in {1..100}; do
		alive || break
		sleep 0.02
	done
	! alive || fail "$what: left a process of $pids"
	files=$(left_files)
	[ -z "$files" ] || fail "$what: left $files"
	echo "ok: $what: $took ms, exit code $status," \
		"$(grep -c '^aslant' "$work/err") lines"
}

case_of ofi net rank 2 KILL
case_of ofi net guard 1 KILL
case_of ofi net rank 0 SEGV
case_of ofi shm rank 2 KILL
case_of ofi shm guard 0 KILL
case_of mpi "" rank 1 KILL
case_of mpi "" guard 2 KILL
