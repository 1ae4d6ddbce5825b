#!/bin/bash
# command_machine.sh -- what the command makes of the machine that it is on
#
# Machines are invented (HWLOC_SYNTHETIC) or recorded (HWLOC_XMLFILE): what is
# said of them has to hold whatever this one is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/command.sh"

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
refused "cache-level: found 'l0', expected llc, l1, l2" run vomm --n 10 \
	--cache-level l0
echo '{"options": {"n": 10, "algorithm": "vomm", "store": "null"},
 "cases": [{"cache-level": ["l1", "l2"]}]}' >levels.json
expect 0 suite levels.json --csv rows.csv
[ "$("$python" -c 'import csv
print([x["cache_words"] for x in csv.DictReader(open("rows.csv"))])')" = \
	"['4000', '125000']" ] || fail "suite: $(cat rows.csv)"
code=3
refused "cache-level: found l4, but the .* are: l1, l2, l3$" \
	run vomm --n 10 --store null --cache-level l4
expect 0 run vomm --n 10 --store null --cache-level l4 --cache 5000
wait
export HWLOC_SYNTHETIC="pu:3"
refused "cache-level: found l1, but .* none (this machine hides them)$" \
	plan --n 10 --cache-level l1
wait
expect 0 run vomm --n 10 --store dram
says "S = 4096 words (32 KiB) a rank, assumed$"
unset HWLOC_SYNTHETIC
[ ! -e failed ]
