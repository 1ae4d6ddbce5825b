#!/bin/bash
# command_hidden.sh -- on a machine that does not say what it is, all still works
#
# As in a container: /sys is empty, or hwloc sees nothing of the machine.  What
# is not known then is missing in machine.json, and nothing is made up.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/help/command.sh"

# knows NODES CACHES CPU: what machine.json of out/ says, as Python sees it
knows() {
	"$python" - "$@" <<'PYTHON' || fail "$where: $(cat dir/machine.json)"
import json, sys
x = json.load(open("dir/machine.json"))
nodes, caches, cpu = (bool(int(a)) for a in sys.argv[1:])
assert x["cores"] >= 1 and x["memory_bytes"] > 1 << 20, x
assert all("bytes" in n for n in x["numa"]) == nodes, x["numa"]
assert not any(n.get("bytes", 1) == 0 for n in x["numa"]), x["numa"]
assert bool(x["caches"]) == caches, x["caches"]
assert x["cache_assumed"] == (not caches), x
assert x["cache_source"].startswith("share of L") == caches, x
assert (x["cpu"] != "unknown") == cpu, x["cpu"]
assert x.get("packages", 1) > 0, x
PYTHON
}

# Everything that asks what machine this is.
all_of_it() {
	expect 0 list machine
	says "^cores     [1-9]"
	says "^pools     in "
	expect 0 plan --n 100 --ranks 4 --top 1
	says "^4 ranks, S = [0-9]* words of cache"
	rm -rf dir
	expect 0 run em-jomma --n 60 --ranks 3 --launch --out dir
	is verified 1 dir/runs.csv
	is predicted_equal 1 dir/runs.csv
	is hwc_read_bytes "" dir/runs.csv
	[ -n "$(field hwc_note dir/runs.csv)" ] || fail "$where: no hwc_note"
}

unset HWLOC_COMPONENTS
where="no caches, no nodes"
export HWLOC_COMPONENTS=-linux,-x86,-linuxio
all_of_it
knows 0 0 0
expect 0 list machine
says "^caches    not known; S is assumed to be 32 KiB$"
says "^node 0    of unknown size"
[ -s dir/topology.xml ] || fail "$where: no topology.xml"

where="nothing at all"
export HWLOC_COMPONENTS=stop
all_of_it
[ ! -e dir/topology.xml ] || fail "$where: an empty topology.xml"
says "^aslant: note: dir/topology.xml: hwloc can't describe this machine$" err
unset HWLOC_COMPONENTS

empty_sys() {
	where="no /sys"
	mount -t tmpfs none /sys || exit
	all_of_it
	rm -rf dir
	expect 0 run vomm --n 60 --out dir
	# Processors may tell of caches without any /sys, or may not.
	"$python" - <<'PYTHON' || fail "$where: $(cat dir/machine.json)"
import json
x = json.load(open("dir/machine.json"))
assert not any(n.get("bytes", 1) == 0 for n in x["numa"]), x["numa"]
assert "device" not in x["pool"], x["pool"]
assert x["cache_assumed"] == (not x["caches"]), x
PYTHON
	if [ "$(awk '/^processor/ { n++ } END { print n }' /proc/cpuinfo)" -gt 1 ]
	then
		expect 0 run em-jomma --n 60 --ranks 2 --launch --bind core \
			--csv row.csv
		is bind core row.csv
	fi
}
if unshare -m true 2>/dev/null; then
	export -f empty_sys all_of_it expect says is field fail
	export work aslant python
	unshare -m bash -c 'cd "$work"; out=out err=err; empty_sys'
else
	echo "skipped: an empty /sys (not root)"
fi
[ ! -e failed ]
