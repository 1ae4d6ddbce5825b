#!/bin/bash
# nvm_mapped.sh -- a pool on a mapped device (LVM) is next to the node of its disks
#
# In a mount namespace, with an invented /sys/dev/block: a device on two disks and a
# partition, one level below.  ASLANT is the command.
set -u

if ! unshare --mount --map-root-user true 2>/dev/null; then
	echo "nvm_mapped: skipped, no mount namespaces here"
	exit 77
fi
[ -n "${MAPPED:-}" ] ||
	MAPPED=1 exec unshare --mount --map-root-user bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

if [ "$(stat -f -c %T .)" = tmpfs ]; then
	echo "nvm_mapped: skipped, $work is on no device"
	exit 77
fi

mkdir -p pools {first,second,third}/device third/part mapped/slaves below/slaves
echo 1 >third/part/partition
ln -s "$work/first" "$work/below" mapped/slaves/
ln -s "$work/second" "$work/third/part" below/slaves/
if ! mount -t tmpfs devices /sys/dev/block; then
	echo "nvm_mapped: skipped, /sys is not ours to change"
	exit 77
fi
ln -s "$work/mapped" "/sys/dev/block/$(python3 -c 'import os
at = os.stat("pools").st_dev
print(f"{os.major(at)}:{os.minor(at)}")')"

# node EXPECTED FIRST SECOND THIRD: of the pool, where those of the disks are these
node() {
	local found

	echo "$2" >first/device/numa_node
	echo "$3" >second/device/numa_node
	echo "$4" >third/device/numa_node
	found=$("${ASLANT:?}" run vomm --n 9 --ranks 1 --nvm-dir pools --csv - \
		2>err | python3 -c 'import csv, sys
print(next(csv.DictReader(sys.stdin))["pool_nodes"])')
	[ "$found" = "$1" ] && return
	echo "nvm_mapped: disks at $2, $3, $4: found '$found', expected '$1'"
	cat err
	exit 1
}

node 0 0 0 0
node '' 0 0 1
node '' 1 0 0
node '' 0 1 0
