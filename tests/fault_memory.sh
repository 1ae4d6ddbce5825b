#!/bin/bash
# fault_memory.sh -- without memory every command says so, and nothing is wrong
#
# Allocations fail (tests/help/faults.c), one at a time or all from one on, wherever a
# command makes them: it ends with exit code 3 and one line, or it does not need
# them and the rows are the same.  ASLANT_TEST_CASES: how many of each (3; 12).
# hwloc's own are left out: it goes on with a machine that lacks something.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
[ -z "$sanitizer" ] || {
	echo "fault_memory: the sanitizer has its own allocations"
	exit 77
}
ulimit -c 0
export FAULT_BUT=libhwloc
cases=${ASLANT_TEST_CASES:-3}
[ "$cases" != all ] || cases=12

for dir in old new; do
	expect 0 run em-jomma --n 40 --ranks 4 --store dram --reps 5 --out $dir
done
echo '{"cases": [{"label": "a", "algorithm": ["3d", "jomma"], "n": 20,
	"ranks": 4, "store": "dram"}]}' >suite.json

# same FILE OTHER: but for when and how fast
same() {
	"$python" - "$@" <<'PYTHON'
import csv, os, sys
measured = os.environ["measured"].split()
rows = [[[x for k, x in r.items() if k not in measured]
         for r in csv.DictReader(open(f))] for f in sys.argv[1:]]
sys.exit(rows[0] != rows[1] or not rows[0])
PYTHON
}

# one RUN AT CALLS ARGUMENTS...: in a directory of its own, RUN
one() {
	local run=$1 at=$2 calls=$3 code lines
	shift 3
	mkdir "$run"
	set -- "${@//run\//$run/}"
	FAULT_AT=$at FAULT_CALLS=$calls FAULT_CALL=memory FAULT_TO=$run/count \
		LD_PRELOAD=$faults timeout 60 "$aslant" "$@" >"$run/out" 2>"$run/err" \
		</dev/null
	code=$?
	lines=$(grep -v 'note:\|hwloc_.*Assertion' "$run/err" |
		grep -c '^aslant: ')
	if [ "$at" = 0 ]; then
		[ $code = 0 ] || fail "$*: exit code $code: $(cat "$run/err")"
		mv "$run" whole
		all=$(cat whole/count)
	elif [ $code = 3 ]; then
		# A suite says in a second line how far it came.
		[ "$lines" = 1 ] || { [ "$1$lines" = suite2 ]; } ||
			fail "$* ($at): $lines lines: $(cat "$run/err")"
		[ -z "$(find "$run" -name '*.npy' -o -name '*.html')" ] ||
			fail "$* ($at): left $(ls "$run")"
	elif [ $code = 0 ]; then
		[ ! -e whole/o.csv ] || same whole/o.csv "$run/o.csv" ||
			fail "$* ($at): other rows"
		[ ! -e whole/r.npy ] || cmp whole/r.npy "$run/r.npy" ||
			fail "$* ($at): another product"
		[ "$(ls "$run")" = "$(ls whole)" ] ||
			fail "$* ($at): left $(ls "$run"), not $(ls whole)"
	else
		fail "$* ($at): exit code $code: $(cat "$run/err")"
	fi
}

# Steps that are no divisor of anything, from another begin each time.
sweep() {
	local calls at step
	one first 0 1 "$@"
	step=$((all / cases + 1))
	for calls in 1 1000000; do
		for ((at = RANDOM % step + 1; at <= all; at += step)); do
			one "run-$calls-$at" $at $calls "$@" &
			while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
				wait -n
			done
		done
	done
	wait
	rm -rf whole run-*
}

RANDOM=${ASLANT_TEST_SEED:-1}
sweep run em-jomma --n 20 --ranks 4 --store dram --csv run/o.csv \
	--result run/r.npy
sweep run vomm --n 9 --csv run/o.csv
sweep suite suite.json --csv run/o.csv
sweep report old new --out run/r.html
sweep compare old new --csv run/o2.csv --out run/r.html
sweep run einsum --spec 'ij,jk->ik' --dims i=8,j=9,k=10 --ranks 4 --store dram \
	--csv run/o.csv --result run/r.npy

for algorithm in "sttsv --n 12 --steiner cubic" "hopm --n 9 --iterations 2" \
	"cpgrad --n 10 --cp-rank 2 --exchange alltoall"; do
	# shellcheck disable=SC2086 # several words
	sweep run $algorithm --ranks 4 --store dram --csv run/o.csv \
		--result run/r.npy
done

# ---- Limits ----

unset FAULT_BUT
for limit in 100000/1 150000/1 200000/1 300000/1 400000/1 600000/1 800000/1 \
	1200000/1 10000000/900 3000000/40 12000000/40; do
	kib=${limit%/*}
	(
		ulimit -v "$kib"
		timeout 20 "$aslant" run em-jomma --n 600 --ranks 4 \
			--threads "${limit#*/}" --csv out.csv --result out.npy \
			>out 2>err
	)
	code=$?
	case $code in
	0) [ -s out.npy ] && rm out.npy out.csv ;;
	3)
		says '^aslant: .*memory\|^aslant: .*pool\|ulimit -v' err
		[ ! -e out.npy ] || fail "$kib KiB: left a product"
		;;
	127) says 'error while loading shared libraries' err ;;
	*) fail "$kib KiB: exit code $code: $(cat err)" ;;
	esac
done

[ ! -e failed ]
