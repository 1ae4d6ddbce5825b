#!/bin/bash
# command_cache_model.sh -- --cache-model, in rows and for people
#
# It changes no count of any algorithm, and what is replayed does not depend on
# whether there is data, where it lies, or who carries it.  ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# ---- All algorithms ----

# counted, counted and replayed, and with data
run_all() {
	local name=$1 model=$2 out=said/$1.out err=said/$1.err
	shift 2
	expect 0 run "$@" --store null --csv "$name-plain.csv"
	expect 0 run "$@" --store null --cache-model "$model" --csv "$name-null.csv"
	expect 0 run "$@" --store dram --cache-model "$model" --csv "$name-data.csv"
}

# case_of NAME ARGUMENTS...; most of a start is spent asleep: several at once
case_of() {
	local name=$1
	shift
	while [ "$(jobs -rp | wc -l)" -ge 6 ]; do
		wait -n
	done
	run_all "$name" "lru:1200:8:${ways:-10}" "$@" &
}

for algorithm in vomm 3d cannon 25d 25d-mml3ool2 25d-cowe em-jomma lm-jomma fused \
	cuts cuts-fused summa summa-l3ool2; do
	ranks=18
	[ $algorithm = vomm ] && ranks=1
	ways=full case_of $algorithm $algorithm --m 37 --n 45 --k 52 --ranks $ranks \
		--cache 1000 --memory 4000
done
case_of overlap summa --n 60 --ranks 9 --cache 1000 --panels nvm --overlap --reps 2
for algorithm in sttsv cpgrad sttsv-naive sttsv-sequence; do
	case_of $algorithm $algorithm --n 30 --ranks 14 --cache 2000
done
case_of hopm hopm --n 30 --ranks 10 --cache 2000 --iterations 3 --tol 0
case_of einsum einsum --spec 'ijk,kl,jl->il' --dims i=17,j=13,k=11,l=5 --ranks 6 \
	--cache 500
case_of pairs einsum --spec 'ijb,kjb->bki' --dims i=17,j=13,k=11,b=5 --ranks 6 \
	--cache 500
for method in rotation replication accumulation; do
	for where in inside outside; do
		case_of ooc-$method-$where ooc-$method-$where --n 40 --ranks 4 \
			--memory-budget 1500 --cache 200
	done
done
wait
run_all launched lru:1200:8:full 3d --m 37 --n 45 --k 52 --ranks 4 --cache 1000
expect 0 run 3d --m 37 --n 45 --k 52 --ranks 4 --cache 1000 --launch \
	--cache-model lru:1200:8:full --csv launched-data.csv

"$python" - <<'PYTHON' | tee -a failed
import csv, glob

own = ["cache_model"] + ["lru_%s_words_%s" % (a, b)
                         for a in ("read", "write") for b in ("max", "total")]
names = [file[:-10] for file in sorted(glob.glob("*-plain.csv"))]
if len(names) != 28:
    print("found %d cases, expected 28" % len(names))
for name in names:
    rows = {kind: list(csv.DictReader(open("%s-%s.csv" % (name, kind))))
            for kind in ("plain", "null", "data")}
    for i, plain in enumerate(rows["plain"]):
        null = rows["null"][i]
        for column in own:
            if plain[column]:
                print(name, column, "without a model:", plain[column])
            data = rows["data"][i][column]
            if null[column] != data or not data:
                print(name, column, "null:", null[column], "data:", data)
        for column in plain:
            if (column.endswith(("_max", "_total", "_path", "_equal"))
                    and column not in own and plain[column] != null[column]):
                print(name, column, "without:", plain[column], "with:",
                      null[column])
        # All operands come once, and the result goes once.
        if int(null["lru_read_words_total"]) < int(null["lru_write_words_max"]):
            print(name, "writes what it has not read")
PYTHON
[ -s failed ] || rm -f failed

is cache_model lru:1200:8:full vomm-null.csv
is cache_model lru:1200:8:10 einsum-null.csv

# ---- For people ----

expect 0 run vomm --n 64 --cache 300 --cache-model lru:4KiB:8:4
says '^LRU reads  *[0-9]*  *[0-9]*$'
says '^LRU writes  *[0-9]*  *[0-9]*$'
says 'time .*cache model'
expect 0 run vomm --n 64 --cache 300
grep -q LRU out && fail "LRU without a model"
expect 0 run --help=all
says '--cache-model MODEL'

BUILD=$(dirname "$aslant") "$root/bench/measure/lru-table" 240 2888 >out 2>err ||
	fail "lru-table: $(cat out err)"
says '^5 blocks .* 1.000$'

[ ! -e failed ]
