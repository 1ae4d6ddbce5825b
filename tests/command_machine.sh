#!/bin/bash
# command_machine.sh -- what the command makes of the machine that it is on
#
# Machines are invented (HWLOC_SYNTHETIC) or recorded (HWLOC_XMLFILE): what is
# said of them has to hold whatever this one is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/help/command.sh"

# ---- S: the share of a cache ----

export HWLOC_SYNTHETIC="pack:2 l3:1(size=64MB) l2:4(size=1MB) l1:1(size=32kB) \
core:1 pu:2"
for level in l1:4000 l2:125000 l3:2000000 llc:2000000; do
	expect 0 run 3d --n 100 --ranks 8 --store null \
		--cache-level ${level%:*} --csv row.csv
	is cache_words "${level#*:}" row.csv
done
expect 0 plan --n 100 --cache-level l2
says "S = 125000 words of cache"
says "; S: share of L2$"
expect 0 run vomm --n 10 --ranks 1 --store dram --cache-level l1
says "^cache     S = 4000 words .* a rank, share of L1$"
expect 0 run vomm --n 10 --store dram --cache-level l1 --cache 5000
says "^cache     S = 5000 words .* a rank$"
echo '{"options": {"n": 10, "algorithm": "vomm", "store": "null"},
 "cases": [{"cache-level": ["l1", "l2"]}]}' >levels.json
expect 0 suite levels.json --csv rows.csv
[ "$("$python" -c 'import csv
print([x["cache_words"] for x in csv.DictReader(open("rows.csv"))])')" = \
	"['4000', '125000']" ] || fail "suite: $(cat rows.csv)"
expect 0 run vomm --n 10 --store null --cache-level l4 --cache 5000
export HWLOC_SYNTHETIC="pu:3"
expect 0 run vomm --n 10 --store dram
says "S = 4096 words (32 KiB) a rank, assumed$"
unset HWLOC_SYNTHETIC

# ---- Binding ----

# bound TO RANKS: the processors of every rank
bound() {
	rm -rf bound
	expect 0 run em-jomma --n 30 --ranks "$2" --launch --bind "$1" \
		--out bound
	is bind "$1" bound/runs.csv
	"$python" -c 'import json
x = json.load(open("bound/machine.json"))
assert x["bind"] == "'"$1"'", x["bind"]
print(*x["rank_cpus"])'
}
cores=$("$python" -c 'import os; print(len(os.sched_getaffinity(0)))')
all=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
[ "$(bound none 2)" = "$all $all" ] || fail "none: $(bound none 2)"
[ "$(bound core $((2 * cores)) | tr ' ' '\n' | sort | uniq -c |
	awk '{ print $1 }' | sort -u)" = "$(bound core $((2 * cores)) |
	tr ' ' '\n' | sort | uniq -c | awk '{ print $1; exit }')" ] ||
	fail "core: not all alike"
if [ "$cores" -gt 1 ] && ! lscpu -p=CORE,CPU | grep -v '^#' |
	cut -d, -f1 | sort | uniq -d | grep -q .; then
	set -- $(bound core 2)
	[ "$1" != "$2" ] || fail "core: two ranks on $1"
	[ "$1$2" = "${1//[,-]/}${2//[,-]/}" ] || fail "core: more than one"
	bind_to=(mpiexec.mpich -n 2 -bind-to core "$aslant")
	"${bind_to[@]}" run em-jomma --n 30 --csv row.csv 2>err ||
		fail "-bind-to: $(cat err)"
	is bind launcher row.csv
fi
expect 0 run vomm --n 10 --store dram --csv row.csv
is bind "" row.csv

# ---- Threads, and where ranks are placed ----

is threads 1 row.csv
expect 0 run em-jomma --n 30 --ranks 2 --threads 3 --csv row.csv
is threads 3 row.csv
HWLOC_SYNTHETIC="pack:2 core:3 pu:2" expect 0 run vomm --n 30 --store dram \
	--threads auto --csv row.csv
is threads 6 row.csv
expect 0 run em-jomma --n 30 --ranks 3 --threads auto --csv row.csv
is threads 1 row.csv
"$aslant" run vomm --n 9 --threads $((cores + 1)) --csv row.csv 2>err ||
	fail "too many threads: $(cat err)"
grep -q "^aslant: note: $((cores + 1)) threads a rank, which has $cores core" \
	err || fail "too many threads: $(cat err)"
expect 0 run em-jomma --n 30 --launch --placement core --csv row.csv
is bind core row.csv
is threads 1 row.csv
is ranks "$cores" row.csv
sockets=$(lscpu -p=SOCKET | grep -v '^#' | sort -u | wc -l)
expect 0 run em-jomma --n 30 --launch --placement socket --csv row.csv
is bind socket row.csv
is ranks "$sockets" row.csv
[ $((cores % sockets)) -gt 0 ] || is threads $((cores / sockets)) row.csv
code=3
HWLOC_SYNTHETIC="pu:4" refuse "bind: no rank can be bound to a core here: \
hwloc does not see this machine" run vomm --n 9 --ranks 1 --launch --bind core

# ---- What there is, for people and in machine.json ----

# speed NAME FLAGS VALUE: of a node, as hwloc writes it
speed() {
	echo "<memattr name=\"$1\" flags=\"$2\"><memattr_value" \
		"target_obj_gp_index=\"$node\" target_obj_type=\"NUMANode\"" \
		"value=\"$3\" initiator_cpuset=\"0xfc0\"/></memattr>"
}
HWLOC_SYNTHETIC="pack:2 [numa(memory=16GB)] [numa(memory=64GB)] l2:3(size=1MB) \
core:1 pu:2" expect 0 run vomm --n 10 --store dram --out tiers
node=$(sed -n '/NUMANode.*cpuset="0x00000fc0"/ {
	s/.*gp_index="\([0-9]*\)".*/\1/p }' tiers/topology.xml | tail -1)
sed -i "s/gp_index=\"$node\"/& subtype=\"NVM\"/
	s|</topology>|$(speed ReadBandwidth 5 37000 | tr -d '\n')&|
	s|</topology>|$(speed WriteLatency 6 94 | tr -d '\n')&|" tiers/topology.xml
export HWLOC_XMLFILE=$PWD/tiers/topology.xml
expect 0 list machine
says "^cores     6 may be used; 12 threads in 2 packages$"
says "^caches    6 x L2 976.6 KiB$"
says "^node 2    14.9 GiB, next to cpus 6-11$"
says "^node 3    59.6 GiB NVM, next to cpus 6-11$"
says "^          reads 37000 MiB/s, from cpus 6-11$"
says "^          write 94 ns, from cpus 6-11$"
[ "$(grep -c 'MiB/s\| ns' out)" = 2 ] || fail "speeds that nobody gave"
unset HWLOC_XMLFILE

# mount WHAT DIR, as another program sees it
mount_of() {
	findmnt -n -o "$1" -T "$2" | tail -1
}
for place in /dev/shm "$work" /; do
	[ -w "$place" ] || continue
	expect 0 run vomm --n 10 --nvm-dir "$place" --out "at$cases"
	"$python" - "at$cases/machine.json" "$place" "$(mount_of FSTYPE "$place")" \
		"$(mount_of SOURCE "$place")" <<'PYTHON' || fail "pool in $place"
import json, os, sys
x = json.load(open(sys.argv[1]))
pool = x["pool"]
assert pool["dir"] == sys.argv[2] and pool["medium"] == x["medium"], pool
assert pool["file_system"] == sys.argv[3], (pool, sys.argv)
assert pool["source"] == sys.argv[4].split("[")[0], (pool, sys.argv)
assert pool["mount_options"]
device = os.stat(sys.argv[2]).st_dev
block = "/sys/dev/block/%d:%d" % (os.major(device), os.minor(device))
assert ("device" in pool) == os.path.exists(block), pool
if "device" in pool:
    assert pool["device"] == os.path.basename(os.path.realpath(block)), pool
PYTHON
	cases=$((cases + 1))
done
ASLANT_NVM_DIR=$work expect 0 list machine
says "^pools     in $work: medium "
ASLANT_NVM_DIR=$work/none expect 0 list machine
says "^pools     in $work/none: .*No such file"
expect 0 run vomm --n 10 --store dram --out nopool
grep -q '"pool"' nopool/machine.json && fail "a pool where there is none"
expect 0 suite levels.json --store pmem --verify none --out suite
[ -s suite/topology.xml ] || fail "suite: no topology.xml"
grep -q '"file_system"' suite/machine.json || fail "suite: no file system"
[ ! -e failed ]
