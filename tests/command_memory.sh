#!/bin/bash
# command_memory.sh -- the memory of a NUMA node as the large memory
#
# The node is one of this machine: how it differs from others is for guests
# (lab_memory) and for invented machines (machine_memories).
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/help/command.sh"

node=$(cd /sys/devices/system/node && ls -d node[0-9]* | head -n 1)
node=${node#node}
expect 0 list machine
says "--store node --memory-node $node: [a-z]"
medium=$(sed -n "s/.*--store node --memory-node $node: //p" out)

# ---- Runs of all families, verified, and as predicted ----

on=(--store node --memory-node "$node" --csv row.csv)
for case in "em-jomma --n 100 --ranks 3 --launch" "sttsv --n 30" \
	"einsum --spec ij,jk->ik --dims i=9,j=8,k=7" \
	"ooc-auto --n 24 --memory-budget 4KiB"; do
	# shellcheck disable=SC2086 # words
	expect 0 run $case "${on[@]}"
	is verified 1 row.csv
	is predicted_equal 1 row.csv
	is store node row.csv
	is medium "$medium" row.csv
	is pool_nodes "$node" row.csv
	is pool_distance_max 10 row.csv
done

# ---- Its memory is bound: what a run maps, Linux says ----

"$aslant" run vomm --n 1200 --ranks 1 --reps 50 --verify none "${on[@]}" \
	>out 2>err &
bound() {
	grep -q "bind.*:$node .*N$node=[1-9][0-9]\{3,\}" "/proc/$!/numa_maps"
}
until_true 20 bound || fail "no memory is bound to node $node"
kill $!
wait $! 2>/dev/null

# ---- M is the node's ----

bytes=$(awk '/MemTotal/ {printf "%.0f\n", $4 * 1024}' \
	"/sys/devices/system/node/node$node/meminfo")
expect 0 run vomm --n 9 "${on[@]}"
is memory_words $((bytes / 8)) row.csv

# ---- What is refused ----

refuse "memory-node: found 999, expected a node with memory, which are: " \
	run vomm --n 9 --store node --memory-node 999
refuse "memory-node: found 999, " run vomm --n 9 --ranks 2 --launch \
	--store node --memory-node 999
refuse "memory-node: found 999, " plan --n 9 --memory-node 999
refuse "store node: found no --memory-node" run vomm --n 9 --store node
refuse "memory-node: found --store pmem" run vomm --n 9 --memory-node 0
refuse "memory-node: found --store dram" calibrate x.json --store dram \
	--memory-node 0
refuse "expected --store pmem" run vomm --n 9 --store node --memory-node 0 \
	--resume --nvm-dir "$work"
code=3
refuse "node $node has no room for" run vomm --n $((bytes / 8 / 1000)) --m 1000 \
	--k 1000 --store node --memory-node "$node" --ranks 1
HWLOC_SYNTHETIC="pack:2 [numa(memory=1GB)] pu:2" \
	refuse "hwloc has been told of another machine" \
	run vomm --n 9 --ranks 1 --store node --memory-node 0

# ---- A tmpfs that takes its pages from one node ----

mkdir tmp
if mount -t tmpfs -o "mpol=bind:$node,size=64m" tmpfs tmp 2>err; then
	expect 0 run vomm --n 9 --nvm-dir "$work/tmp" --csv row.csv
	says "tmpfs with mpol=bind:$node, not on persistent memory" err
	grep -q "what DRAM costs" err && fail "it costs what DRAM costs"
	is pool_nodes "$node" row.csv
	is memory_words $((64 * 1048576 / 8)) row.csv
	umount tmp
	mount -t tmpfs -o size=64m tmpfs tmp
	expect 0 run vomm --n 9 --nvm-dir "$work/tmp" --csv row.csv
	says "what DRAM costs" err
	is pool_nodes "" row.csv
	umount tmp
fi
[ ! -e failed ]
