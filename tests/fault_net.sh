#!/bin/bash
# fault_net.sh -- a rank is killed or stopped, or a network cut, at any moment
#
# Whatever the algorithm and the transport, the job ends within 10 s (of a stop:
# after --peer-timeout), with exit code 5 and one line that names the rank; no
# process is left, no pool, nothing in /dev/shm.  In namespaces of its own, so
# that whatever is left was ours.
#
# ASLANT_TEST_FAULTS=1: 100 kills, 50 stops, 50 cuts, on 4 and 8 ranks, which
# takes half an hour; or KILLS,STOPS,CUTS.  ASLANT_TEST_SEED: other moments.
# ASLANT is the command.
set -u

# shellcheck source=tests/help/nodes.sh
. "$(dirname "$0")/help/nodes.sh"
nodes_or_skip "$0" "$@"

patience=3  # of a stop, s
limit=10000 # ms
slack=5000  # for a machine that does other things
case ${ASLANT_TEST_FAULTS:-} in
'') patience=2 kills=2 stops=2 cuts=1 ranks_of=(4) ;;
*,*,*)
	IFS=, read -r kills stops cuts <<<"$ASLANT_TEST_FAULTS"
	ranks_of=(4 8)
	;;
*) kills=100 stops=50 cuts=50 ranks_of=(4 8) ;;
esac
RANDOM=${ASLANT_TEST_SEED:-1}
NODES=$(mktemp -d)
export NODES
work=$NODES
pools=$work/pools
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

algorithms=(
	"em-jomma --n 512"
	"sttsv --n 96 --steiner cubic"
	"einsum --spec ij,jk->ik --dims i=300,j=300,k=300"
	"ooc-rotation-inside --n 512 --memory-budget 256KiB --cache 32KiB"
	"fused --n 512"
	"hopm --n 64 --steiner cubic --tol 0 --iterations 20"
	"cuts --n 512"
	"einsum --spec ijk,kl,jl->il --dims i=64,j=64,k=64,l=32"
	"3d --n 512"
	"cpgrad --n 64 --steiner cubic"
	"summa --n 512"
	"ooc-accumulation-outside --n 512 --memory-budget 256KiB --cache 32KiB"
)
local_ways=("ofi --provider shm" "ofi --provider net" "mpi")
host_ways=("ofi --provider net" "mpi")

fail() {
	echo "fault_net: $*"
	sed 's/^/  stderr: /' "$work/err"
	ps -eo pid,ppid,stat,args | sed 's/^/  ps: /'
	exit 1
}

now_ms() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

ours() {
	ps -eo pid,stat,comm |
		awk '$2 !~ /Z/ && $3 ~ /aslant|hydra|mpiexec/ {print $1}'
}

rank_in() {
	tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | sed -n 's/^PMI_RANK=//p'
}

# process_of RANK: its pid, not its guard's; nothing: it is not there (yet)
process_of() {
	local pid parent

	for pid in $(pgrep -x aslant); do
		parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
		[ "$(rank_in "$pid")" = "$1" ] &&
			[ "$(rank_in "${parent:-0}")" = "$1" ] && echo "$pid"
	done
}

# begin ALGORITHM WAY RANKS [OPTION...]: a job that would take hours
begin() {
	local algorithm=$1 way=$2 ranks=$3

	shift 3
	rm -rf "$pools" "$work/out"
	mkdir "$pools"
	# shellcheck disable=SC2086 # several words each
	"$ASLANT" run $algorithm --transport $way --ranks "$ranks" --launch \
		--reps 1000000 --verify none --nvm-dir "$pools" \
		--csv - --peer-timeout $patience "$@" \
		>"$work/out" 2>"$work/err" &
	job=$!
}

# wait_for_rows [BYTES]: beyond so many bytes of them
wait_for_rows() {
	local limit=$((SECONDS + 60))

	until [ "$(wc -c <"$work/out")" -gt "${1:-0}" ]; do
		kill -0 $job 2>/dev/null || fail "$what: did not start"
		[ $SECONDS -lt $limit ] || fail "$what: does not run"
		sleep 0.02
	done
}

# Some time from its start on: before there is a rank, there is none to take.
wait_for_rank() {
	local until=$(($(now_ms) + RANDOM % 1500))

	victim=
	while [ -z "$victim" ] || [ "$(now_ms)" -lt $until ]; do
		kill -0 $job 2>/dev/null || fail "$what: did not start"
		victim=$(process_of "$1" | head -n 1)
	done
}

nobody_is_left() {
	for _ in {1..20}; do
		[ -n "$(ours)" ] || return 0
		sleep 0.1
	done
	fail "$what: left processes"
}

# ends WHAT PATTERN MS: soon, with that line and no other, and nothing is left
ends() {
	local what=$1 pattern=$2 within=$3 took code lines

	while kill -0 $job 2>/dev/null; do
		[ $(($(now_ms) - began)) -lt $((3 * within)) ] ||
			fail "$what: does not end"
		sleep 0.02
	done
	wait $job
	code=$?
	took=$(($(now_ms) - began))
	[ $code = 5 ] || fail "$what: exit code $code, not 5"
	[ $took -lt "$within" ] || fail "$what: took $took ms"
	lines=$(grep -c '^aslant: .*rank .*; the job ends$' "$work/err")
	[ "$lines" = 1 ] || fail "$what: $lines lines, expected 1"
	grep -Eq "$pattern" "$work/err" || fail "$what: not '$pattern'"
	nobody_is_left
	[ -z "$(find "$pools" /dev/shm -mindepth 1)" ] ||
		fail "$what: left $(find "$pools" /dev/shm -mindepth 1)"
	echo "$took" >>"$work/took-$kind"
	echo "ok: $what: $took ms"
}

# choose I: an algorithm, and a number of ranks, for the i-th job
choose() {
	algorithm=${algorithms[$1 % ${#algorithms[@]}]}
	ranks=${ranks_of[$1 % ${#ranks_of[@]}]}
	rank=$((RANDOM % ranks))
}

# take KIND COUNT SIGNAL LEAST MOST SAYS: a rank, after LEAST to MOST ms
take() {
	local signal=$3 least=$4 most=$5 says=$6

	kind=$1
	for ((i = 0; i < $2; i++)); do
		choose $i
		way=${local_ways[i % 3]}
		what="$kind $i: rank $rank of $ranks, $algorithm, $way"
		begin "$algorithm" "$way" "$ranks"
		wait_for_rank $rank
		began=$(now_ms)
		kill -"$signal" "$victim"
		ends "$what" "^aslant: rank $rank \(pid [0-9]+ on .*\) $says" \
			"$most"
		[ $(($(now_ms) - began)) -ge "$least" ] ||
			fail "$what: ended before its time"
	done
}

take kill "$kills" KILL 0 $limit "was killed by"
take stop "$stops" STOP $((patience * 1000)) $((patience * 1000 + slack)) \
	"has been stopped"

# All that is stopped together is only resting.
what="all ranks of 4 rest"
begin "em-jomma --n 256" "ofi --provider net" 4
wait_for_rows
pids=$(pgrep -x aslant)
# shellcheck disable=SC2086 # several pids
kill -STOP $pids
sleep $((patience + 2)) # longer than one rank may be stopped
bytes=$(wc -c <"$work/out")
# shellcheck disable=SC2086
kill -CONT $pids
wait_for_rows "$bytes"
kill -0 $job || fail "$what: a job that was stopped as a whole has ended"
kill -TERM $job
wait $job
nobody_is_left
echo "ok: $what"

# One that is never there.
what="a rank that never starts"
began=$(now_ms)
mpiexec.mpich -n 1 "$ASLANT" run em-jomma --n 64 --peer-timeout 1 : \
	-n 1 sleep 60 2>"$work/err"
code=$?
[ $code = 5 ] || fail "$what: exit code $code, not 5"
[ $(($(now_ms) - began)) -lt $limit ] || fail "$what: took too long"
grep -q '^aslant: rank 0 (pid [0-9]* on .*) has waited for 5 s for all' \
	"$work/err" || fail "$what: nobody says so"
echo "ok: $what"

nodes_start 2
launcher=
kind="cut"
for ((i = 0; i < cuts; i++)); do
	choose $((i + 2))
	way=${host_ways[i % 2]}
	node=$((1 + RANDOM % 2))
	what="cut $i: host n$node of 2, $ranks ranks, $algorithm, $way"
	nodes_launcher 2 "$ranks" # sets $launcher
	ASLANT_LAUNCH=$launcher begin "$algorithm" "$way" "$ranks"
	wait_for_rows
	sleep "0.$((RANDOM % 10))"
	began=$(now_ms)
	node_link $node down
	ends "$what" "^aslant: rank [0-9]+ \(on n.\) lost rank [0-9]+ \(on n$node\)" \
		$limit
	node_link $node up
done

for kind in kill stop cut; do
	[ -f "$work/took-$kind" ] || continue
	sort -n "$work/took-$kind" | awk -v what="$kind" '
		{ms[NR] = $1}
		END {printf "%s: %d, median %d ms, longest %d ms\n", what, NR,
			ms[int((NR + 1) / 2)], ms[NR]}'
done
