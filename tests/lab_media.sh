#!/bin/bash
# lab_media.sh -- what a file system on persistent memory is called, in a guest
#
# The DIMM with DAX, and with all that keeps DAX from it; virtio-pmem, which has DAX
# but no MAP_SYNC; PMDK's own words on how it flushes; then every algorithm on xfs with
# DAX.  ASLANT_TEST_CASES=all calibrates there, too.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_more=(-object "memory-backend-memfd,id=host,size=300M"
	-device "virtio-pmem-pci,memdev=host")
lab_enter "$0" 1 1800

# lies MEDIUM NOTE: `out` and `err` of a run in /pm, which is given back
lies() {
	runs "$1" "$aslant" run em-jomma --n 24
	[ -z "$2" ] || says "^aslant: note: $2"
	umount /pm
}

# format OPTION...: ext4 on the DIMM; mounts: it, in /pm
format() {
	lab_format ext4 /dev/pmem0 "$@" 2>/dev/null || fail "mkfs: $*"
}

mounts() {
	lab_mount ext4 "${device:-/dev/pmem0}" /pm "$@" || fail "mount: $*"
}

# ---- The DIMM ----

lab_fsdax 0 ext4 /pm || fail "no DAX file system"
if [ -e /usr/lib/x86_64-linux-gnu/pmdk_dbg/libpmem.so.1 ]; then
	LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/pmdk_dbg PMEM_LOG_LEVEL=3 \
		PMEM_LOG_FILE=$PWD/pmdk runs fsdax \
		"$aslant" run em-jomma --n 24
	for word in 'using clwb' 'using movnt' 'Flushing CPU cache'; do
		grep -q "$word" pmdk || fail "PMDK does not say '$word'"
	done
fi
PMEM_IS_PMEM_FORCE=0 "$aslant" run em-jomma --n 24 --nvm-dir /pm >out 2>err
says 'note: PMEM_IS_PMEM_FORCE=0'
umount /pm

without="pools lie in the page cache of a file system without DAX"
would="would lie on pmem0"
mounts -o dax=never
lies file "$without: .*$would"
mounts
lies file "$without: .*$would"
format -b 1024
! mount -o dax=always /dev/pmem0 /pm 2>/dev/null || fail "DAX in 1024 bytes"
mounts
lies file "$without: .*$would"
lab_format xfs /dev/pmem0
lab_mount xfs /dev/pmem0 /pm
xfs_io -c 'chattr +x' /pm
lies fsdax ''

for mode in sector raw; do
	ndctl create-namespace -f -e namespace0.0 -m $mode >/dev/null
	device=$(echo /dev/pmem0*)
	lab_format ext4 "$device"
	mounts
	lies file "$without: .*fsdax.*would lie on $(basename "$device")"
done

# ---- virtio-pmem ----

modprobe virtio_pmem
device=
until [ -n "$device" ]; do
	sleep 0.1
	device=$(find /dev -name 'pmem[1-9]*')
done
lab_format ext4 "$device"
mounts -o dax=always
lies fsdax-msync "pools lie on a DAX file system without MAP_SYNC"

# ---- Every algorithm ----

lab_fsdax 0 xfs /pm || fail "no DAX file system"
cat >all.json <<'JSON'
{"options": {"n": 24},
 "cases": [
  {"ranks": 4, "algorithm": ["cannon", "25d", "25d-mml3ool2", "25d-cowe",
			     "summa", "summa-l3ool2"]},
  {"ranks": 2, "algorithm": ["3d", "em-jomma", "lm-jomma", "fused", "cuts",
			     "cuts-fused"]},
  {"ranks": 1, "algorithm": ["vomm", "sttsv", "hopm", "cpgrad", "sttsv-naive",
			     "sttsv-sequence"]},
  {"ranks": 2, "memory-budget": "4KiB",
   "algorithm": ["ooc-rotation-inside", "ooc-rotation-outside",
		 "ooc-replication-inside", "ooc-replication-outside",
		 "ooc-accumulation-inside", "ooc-accumulation-outside"]}]}
JSON
"$aslant" suite ./all.json --nvm-dir /pm --out all >out 2>err ||
	fail "the suite: $(cat out err)"
python3 - all/runs.csv <<'PYTHON' || fail "not all rows are as they should be"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 24, len(rows)
for r in rows:
    found = r["medium"], r["verified"], r["predicted_equal"]
    assert found == ("fsdax", "1", "1"), (r["algorithm"], found)
PYTHON

if [ "${ASLANT_TEST_CASES-}" = all ]; then
	"$aslant" calibrate here.json --quick --nvm-dir /pm >out 2>err ||
		fail "calibrate: $(cat err)"
	says fsdax
	"$aslant" run em-jomma --n 24 --profile ./here.json --nvm-dir /pm >out \
		2>err || fail "the profile: $(cat err)"
fi

exit $lab_failed
