#!/bin/bash
# lab_sockets.sh -- pools on the DIMMs of two sockets, each rank at the nearest
#
# In a guest with a persistent DIMM on each of two sockets, and the firmware's table
# of distances: runs, a suite, a job of scripts/submit.  Ranks that have to go far are
# named.  Calibration measures both DIMMs, and keeps to its time.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_enter "$0" 1 1800

# runs ARGUMENTS...: verified, as predicted; tables in `rows`
runs() {
	rm -rf rows
	"$aslant" run em-jomma --n 48 --launch --out rows "$@" >out 2>err \
		</dev/null || fail "$*: exit code $?: $(cat err)"
}

# nodes EXPECTED: core, pool and distance of each rank, and the row's
nodes() {
	local found
	found=$(python3 - <<'PYTHON'
import csv
rank = {r["rank"]: (r["core_node"], r["pool_node"], r["pool_distance"])
        for r in csv.DictReader(open("rows/ranks.csv"))}
row = next(csv.DictReader(open("rows/runs.csv")))
assert row["verified"] == row["predicted_equal"] == "1", row
assert row["medium"] == "fsdax", row["medium"]
print(*("-".join(rank[r]) for r in sorted(rank)), "/", row["core_nodes"], "/",
      row["pool_nodes"], "/", row["pool_distance_max"])
PYTHON
	)
	[ "$found" = "$1" ] || fail "found $found, expected $1"
}

says() {
	grep -q -e "$1" err || fail "expected '$1' in $(cat err)"
}

# The kernel finds DIMMs in any order: /pm0 is the one of node 0.
lab_fsdax 0 ext4 /first || fail "no DAX file system"
lab_fsdax 1 ext4 /second || fail "no DAX file system"
mkdir /pm0 /pm1
mount --bind /first "/pm$(cat /sys/block/pmem0/device/numa_node)"
mount --bind /second "/pm$(cat /sys/block/pmem1/device/numa_node)"

for list in /pm0,/pm1 /pm1,/pm0; do
	runs --ranks 2 --bind core --nvm-dir $list
	nodes "0-0-10 1-1-10 / 0 1 / 0 1 / 10"
	[ ! -s err ] || fail "a note: $(cat err)"
done
runs --ranks 4 --bind socket --nvm-dir /pm0,/pm1 --keep
nodes "0-0-10 0-0-10 1-1-10 1-1-10 / 0 1 / 0 1 / 10"
[ "$(echo /pm?/*.pool | wc -w) $(echo /pm0/*.pool | wc -w)" = "4 2" ] ||
	fail "pools: $(ls /pm0 /pm1)"
rm -f /pm?/*.pool

runs --placement socket --nvm-dir /pm1,/pm0
nodes "0-0-10 1-1-10 / 0 1 / 0 1 / 10"
[ ! -s err ] || fail "a note: $(cat err)"
runs --ranks 2 --bind core --nvm-dir /pm0
nodes "0-0-10 1-0-20 / 0 1 / 0 / 20"
says "ranks far from their pools: 1 (rank 1: from node 1 to node 0, distance 20)"
runs --ranks 2 --nvm-dir /pm0,/pm1
says "ranks may run on any node: --bind socket or core"

# M is what both hold, not the memory of all nodes.
words=$(($(stat -f -c '(%b * %S' /pm0) + $(stat -f -c '%b * %S)' /pm1) / 8 / 2))
runs --ranks 2 --bind core --nvm-dir /pm0,/pm1
[ "$(python3 -c 'import csv
print(next(csv.DictReader(open("rows/runs.csv")))["memory_words"])')" = $words ] ||
	fail "M is not $words"
python3 -c 'import json
x = json.load(open("rows/machine.json"))
assert [p["numa_node"] for p in x["pools"]] == [0, 1], x["pools"]' ||
	fail "machine.json"

# ---- A suite, a job, and a profile ----

# near DIR: each rank of all cases is at the pool of its socket
near() {
	python3 - "$1" <<'PYTHON' || fail "$1: $(cat out err)"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/runs.csv")))
assert len(rows) == 4, len(rows)
for r in rows:
    found = [r[c] for c in ("verified", "predicted_equal", "medium", "core_nodes",
                            "pool_nodes", "pool_distance_max")]
    assert found == ["1", "1", "fsdax", "0 1", "0 1", "10"], (r["algorithm"], found)
PYTHON
}

cat >small.json <<'JSON'
{"options": {"ranks": 2},
 "cases": [{"n": 24, "algorithm": ["em-jomma", "3d"]},
	   {"algorithm": "einsum", "spec": "ijk,kl->ijl",
	    "dims": "i=6,j=5,k=4,l=7"},
	   {"n": 24, "algorithm": "ooc-auto", "memory-budget": "4KiB"}]}
JSON
"$aslant" suite ./small.json --launch --bind core --nvm-dir /pm0,/pm1 --out suite \
	>out 2>err </dev/null || fail "suite: exit code $?"
near suite
"$(dirname "$lab_source")/../scripts/submit" ./small.json --aslant "$aslant" \
	--system slurm --launcher 'mpiexec.mpich -n' --ranks-per-node 2 \
	--nvm-dir /pm0,/pm1 --out job --dry-run -- --bind core >job.sh 2>err ||
	fail "submit: $(cat err)"
bash job.sh >out 2>err </dev/null || fail "job: exit code $?"
near job
# It takes half a minute, and longer beside other work.
timeout 300 "$aslant" calibrate two.json --quick --ranks 2 --bind core \
	--nvm-dir /pm0,/pm1 >out 2>err </dev/null ||
	fail "calibrate: exit code $?: $(cat err)"
python3 -c 'import json
x = json.load(open("two.json"))["provenance"]
assert x["medium"] == "fsdax", x["medium"]
assert x["product_side"] < 768, x["product_side"]
assert [p["numa_node"] for p in x["pools"]] == [0, 1], x["pools"]' ||
	fail "two.json: $(cat two.json)"

# ---- A DIMM that is full ----

fallocate -l $(($(stat -f -c '%a * %S' /pm1) - (2 << 20))) /pm1/full ||
	fail "it cannot be filled"
"$aslant" run em-jomma --n 48 --ranks 2 --launch --bind core --nvm-dir /pm0,/pm1 \
	--csv row.csv >out 2>err </dev/null
code=$?
[ $code = 3 ] || fail "a full DIMM: exit code $code, expected 3"
says "^aslant: no room for the pool /pm1/.*: it needs [0-9]* MiB"
[ "$(wc -l <err)" = 1 ] || fail "a full DIMM: not one line: $(cat err)"
[ -z "$(find /pm? -name '*.pool')" ] && [ ! -e row.csv ] ||
	fail "a full DIMM: left $(ls /pm0 /pm1 .)"
exit $lab_failed
