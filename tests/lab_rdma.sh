#!/bin/bash
# lab_rdma.sh -- jobs of two hosts over RDMA: two guests with soft-RoCE
#
# Without --provider verbs is taken.  Every family is verified and counted as
# predicted over it, on pools of a DAX file system of each host, and what is counted
# is what tcp counts.  Strangers are not heard; a rank that is killed, and a cable
# that is cut, end the job.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0" 2 900

modprobe -a rdma_rxe rdma_ucm ib_uverbs
rdma link add rxe0 type rxe netdev eth0 || fail "no soft-RoCE"
lab_fsdax 0 ext4 /pm || fail "no DAX file system"
lab_hosts
mkdir -p "$LAB/work" # mpiexec wants it on both
[ "$LAB_NODE" = 0 ] || lab_serve
touch "$LAB/ready.$LAB_NODE"
until [ -e "$LAB/ready.0" ] && [ -e "$LAB/ready.1" ]; do
	sleep 0.1
done
if [ "$LAB_NODE" = 1 ]; then
	until [ -e "$LAB/over" ]; do sleep 0.1; done
	exit $lab_failed
fi
cd "$LAB/work" || exit 1

# job ARGUMENTS...: two ranks, verified, as predicted
job() {
	"$aslant" run "$@" --ranks 2 --launch --nvm-dir /pm --csv row.csv \
		>out 2>err </dev/null || fail "$*: exit code $?: $(cat err)"
	is predicted_equal 1
	is verified 1
	is medium fsdax
}

# is COLUMN VALUE
is() {
	local found
	found=$(python3 -c 'import csv, sys
print(list(csv.DictReader(open("row.csv")))[-1][sys.argv[1]])' "$1")
	[ "$found" = "$2" ] || fail "$1 is '$found', expected '$2'"
}

families=("em-jomma --n 24" "sttsv --n 24 --steiner cover"
	"einsum --spec ijk,kl->ijl --dims i=6,j=5,k=4,l=7"
	"ooc-auto --n 24 --memory-budget 4KiB"
	"3d --n 400") # messages of 640 KB from pools, which cannot be registered
counted="q_full_max read_words_max write_words_max bh_words_max net_msgs_max"
for family in "${families[@]}"; do
	# shellcheck disable=SC2086 # several words
	job $family
	is transport ofi
	is provider 'verbs;ofi_rxm'
	mv row.csv verbs.csv
	# shellcheck disable=SC2086
	job $family --provider net
	is provider net
	python3 - "$counted" <<'PYTHON' || fail "$family: verbs counts otherwise"
import csv, sys
a, b = (list(csv.DictReader(open(f)))[-1] for f in ("verbs.csv", "row.csv"))
assert all(a[c] == b[c] for c in sys.argv[1].split())
PYTHON
done
for provider in 'udp;ofi_rxd' 'tcp;ofi_rxm'; do
	job em-jomma --n 24 --provider "$provider"
	is provider "$provider"
done

# ---- Strangers ----

# strangers MODE CODE
strangers() {
	local code=0

	# shellcheck disable=SC2086 # several words
	$ASLANT_LAUNCH 2 "$BUILD/tests/net_strangers" "$1" verbs >out 2>err \
		</dev/null || code=$?
	[ $code = "$2" ] || fail "strangers $1: exit code $code: $(cat out err)"
}

strangers tag,port 0
[ ! -s out ] && [ ! -s err ] || fail "strangers are heard: $(cat out err)"
strangers head 5
says "aslant: rank 0: .* in the name of rank 1, which are not of this run"
strangers brief 5
says "aslant: rank 0: .* in the name of rank 1, which are not of this run"

# ---- A rank is killed, a cable is cut ----

# ended COMMAND SECONDS PATTERN: a job runs, then COMMAND: soon it ends, in one line
ended() {
	local began code

	"$aslant" run em-jomma --n 24 --ranks 2 --launch --provider verbs \
		--nvm-dir /pm --reps 1000000 --csv - >out 2>err </dev/null &
	until [ "$(wc -l <out)" -gt 5 ] || ! kill -0 $! 2>/dev/null; do
		sleep 0.1
	done
	eval "$1"
	began=$SECONDS
	wait $!
	code=$?
	[ $code = 5 ] || fail "$1: exit code $code, expected 5"
	[ $((SECONDS - began)) -le "$2" ] || fail "$1: $((SECONDS - began)) s"
	says "^aslant: $3"
	[ "$(grep -c '; the job ends$' err)" = 1 ] ||
		fail "$1: not one line: $(cat err)"
	[ -z "$(find /pm -name '*.pool')" ] || fail "$1: left $(ls /pm)"
	[ -z "$(there 'find /pm -name "*.pool"')" ] || fail "$1: left pools there"
}

# there COMMAND: on the other host
there() {
	lab-ask node1 "$1" 2>/dev/null
}

# Of a rank and its guard, the guard is older.
ended 'kill -9 "$(pgrep -n -x aslant)"' 10 \
	'rank 0 (pid [0-9]* on node0) was killed by signal 9'
ended "there 'kill -9 \$(pgrep -n -x aslant)'" 10 \
	'rank 1 (pid [0-9]* on node1) was killed by signal 9'

# There it ends, too.
ended "there 'ip link set eth0 down'" 20 'rank 0 (on node0) lost rank 1 (on node1)'
[ -z "$(there 'for ((i = 0; i < 100; i++)); do
	pgrep -x aslant >/dev/null || exit
	sleep 0.1
done
pgrep -x aslant')" ] || fail "ranks are left there"

# Some kernels' soft-RoCE makes no connections any more once its link was down, until
# it is made anew.  A job says so; it does not wait for ever.
there 'ip link set eth0 up'
until [ "$(there 'cat /sys/class/infiniband/rxe0/ports/1/state')" = "4: ACTIVE" ]; do
	sleep 0.1
done
timeout 200 "$aslant" run em-jomma --n 24 --ranks 2 --launch --provider verbs \
	--nvm-dir /pm >out 2>err </dev/null
code=$?
if [ $code != 0 ]; then
	[ $code = 3 ] || fail "after a link was down: exit code $code"
	says '^aslant: provider verbs;ofi_rxm: rank 0 and rank 1 do not reach each other'
	there 'rdma link delete rxe0; rdma link add rxe0 type rxe netdev eth0'
	rdma link delete rxe0
	rdma link add rxe0 type rxe netdev eth0
	job em-jomma --n 24
	is provider 'verbs;ofi_rxm'
fi

touch "$LAB/over"
exit $lab_failed
