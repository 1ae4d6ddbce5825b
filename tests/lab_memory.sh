#!/bin/bash
# lab_memory.sh -- a node without cores, and DIMMs as memory, in a guest
#
# Node 2 of the guest has memory, no cores, and lines in firmware's HMAT.  Then a
# persistent DIMM becomes a part of node 1, which has DRAM, too.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_enter "$0"

asks() {
	"$aslant" "$@" >out 2>err </dev/null || fail "$*: exit code $?: $(cat err)"
}

# anonymous NODE: its KiB of memory that processes have
anonymous() {
	awk '/AnonPages/ {print $4}' "/sys/devices/system/node/node$1/meminfo"
}

asks list machine
says "^node 2 .* MiB"
says "^ *read 50 ns, from cpus 1"
says "^ *reads 4[0-9]* MiB/s, from cpus 1"
says "store node --memory-node 0: dram$"
says "store node --memory-node 2: memory$"

asks run em-jomma --n 48 --ranks 2 --launch --bind core --store node \
	--memory-node 2
says "^store  *node on memory,"
says "^Every counter of every rank is as predicted"
says "^verified  yes"
asks run sttsv --n 24 --store node --memory-node 2
says "^verified  yes"

# A matrix of 61 MiB lies there, and what is on the cache's side does not.
before=$(anonymous 2)
"$aslant" run vomm --m 2000 --k 4000 --n 2 --ranks 1 --reps 1000 --verify none \
	--store node --memory-node 2 >out 2>err </dev/null &
for _ in {1..200}; do
	[ "$(anonymous 2)" -lt $((before + 62000)) ] || break
	sleep 0.1
done
[ "$(anonymous 2)" -ge $((before + 62000)) ] || fail "node 2 does not have it"
grep -E "bind.*:2.* N2=[0-9]{5}" /proc/$!/numa_maps | grep -q "N[01]=" &&
	fail "other nodes have some of it"
kill $!
wait $! 2>/dev/null

# refuses CODE PATTERN ARGUMENTS...: in one line
refuses() {
	local code=$1 pattern=$2 found

	shift 2
	"$aslant" run vomm --store node "$@" >out 2>err </dev/null
	found=$?
	[ $found = "$code" ] && [ "$(wc -l <err)" = 1 ] ||
		fail "$*: exit code $found, expected $code: $(cat err)"
	says "$pattern"
}

refuses 3 "node 2 has no room for 1853.9 MiB" --n 9000 --memory-node 2 --ranks 1
refuses 2 "found 5, expected a node with memory, which are: 0, 1, 2" --n 9 \
	--memory-node 5

mkdir tmp
mount -t tmpfs -o mpol=bind:2 tmpfs tmp
asks run vomm --n 9 --nvm-dir "$PWD/tmp"
says "tmpfs with mpol=bind:2"

# ---- DIMMs as memory, beside DRAM ----

{ lab_devdax 1 &&
	daxctl reconfigure-device --mode=system-ram dax1.0 >/dev/null; } ||
	fail "the DIMM cannot be memory"
node=$(cat /sys/bus/dax/devices/dax1.0/target_node)
asks list machine
says "^node $node .*, dax1.0 in it, next to cpus $node"
says "store node --memory-node $node: dram+nvm$"
grep -q "NVM" out && fail "DRAM is called NVM: $(cat out)"
exit $lab_failed
