#!/bin/bash
# lab_sockets.sh -- pools on the DIMMs of two sockets, each rank at the nearest
#
# In a guest with a persistent DIMM on each of two sockets, and the firmware's table
# of distances.  Ranks that have to go far are named.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_enter "$0"

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
exit $lab_failed
