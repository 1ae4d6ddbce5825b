#!/bin/bash
# lab_devdax.sh -- pools that fill DAX devices, in a guest with two
#
# Runs of all families, one that is killed and resumed, and everything that must not
# be overwritten.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_enter "$0"

both=/dev/dax0.0,/dev/dax1.0

runs() {
	"$aslant" run "$@" >out 2>err </dev/null ||
		fail "$*: exit code $?: $(cat err)"
	says "^store  *pmem on devdax,"
	says "^Every counter of every rank is as predicted"
	says "^verified  yes"
}

# refuses CODE PATTERN ARGUMENTS...: in one line
refuses() {
	local code=$1 pattern=$2 found

	shift 2
	"$aslant" run "$@" >out 2>err </dev/null
	found=$?
	[ $found = "$code" ] || fail "$*: exit code $found, expected $code"
	[ "$(wc -l <err)" = 1 ] || fail "$*: not one line: $(cat err)"
	says "$pattern"
}

# head_of DEVICE [TEXT]: its first bytes, after writing some there, and whether a pool
# is complete: it has its magic
head_of() {
	python3 - "$@" <<'PYTHON'
import mmap, os, sys
m = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4 << 20)
for text in sys.argv[2:]:
    m[:len(text)] = text.encode()
used = m[:2 << 20].rstrip(b"\0")
complete = m.find(b"ASLNPOOL") >= 0
print(m[:7].rstrip(b"\0").decode(), m[4096:4110].rstrip(b"\0 ").decode(),
      "empty" if not used else "complete" if complete else "")
PYTHON
}

# flip DEVICE OFFSET: a bit, where an offset below 0 is from the end
flip() {
	python3 - "$@" "$(cat "/sys/bus/dax/devices/${1#/dev/}/size")" <<'PYTHON'
import mmap, os, sys
at, size = int(sys.argv[2]), int(sys.argv[3])
m = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), size)
m[at % size] ^= 1
PYTHON
}

# lists DEVICE OFFSET: its region has a bad block there
lists() {
	local region own=/sys/bus/dax/devices/${1#/dev/}

	region=$(realpath "$own")
	until [ -e "$region/badblocks" ]; do region=${region%/*}; done
	echo "$((($(cat "$own/resource") - $(cat "$region/resource") + $2) / 512)) 8" \
		>list
	mount --bind list "$region/badblocks" || fail "no list of bad blocks"
	listed=$region/badblocks
}

empty() {
	[ "$(head_of "$1")" = "  empty" ] || fail "$1: left $(head_of "$1")"
}

for dimm in 0 1; do
	lab_devdax $dimm || fail "no DAX device"
done

# ---- Runs ----

runs em-jomma --n 48 --ranks 1 --nvm-dir /dev/dax0.0
empty /dev/dax0.0
runs einsum --spec 'ijk,kl->ijl' --dims i=6,j=5,k=4,l=7 --nvm-dir $both
runs sttsv --n 24 --nvm-dir /dev/dax1.0
runs em-jomma --n 48 --ranks 2 --launch --bind core --nvm-dir $both
[ ! -s err ] || fail "a note: $(cat err)"
strace -f --seccomp-bpf -e trace=msync -o calls "$aslant" run vomm --n 24 --ranks 1 \
	--nvm-dir /dev/dax0.0 >out 2>err </dev/null || fail "$(cat err)"
grep -E 'msync\(' calls && fail "waits for the kernel"
"$aslant" list machine >out 2>err
for device in dax0.0 dax1.0; do
	says "nvm-dir /dev/$device: medium devdax, next to node $(
		cat /sys/bus/dax/devices/$device/numa_node)$"
done

# ---- What is refused ----

refuses 2 "found 2 places, none of which is left for rank 2.*ndctl create-namespace" \
	em-jomma --n 48 --ranks 3 --nvm-dir $both
refuses 2 "found 1 place, .*ndctl create-namespace" \
	em-jomma --n 48 --ranks 2 --launch --nvm-dir /dev/dax0.0
refuses 2 "which are one device" vomm --n 9 --nvm-dir /dev/dax0.0,/dev/dax0.0
refuses 3 "no room for the pool /dev/dax0.0: it needs" vomm --n 9000 \
	--nvm-dir /dev/dax0.0
refuses 3 "/dev/null is a device, but no DAX device" vomm --n 9 \
	--nvm-dir /dev/null
refuses 2 "resume: found --erase" vomm --n 9 --nvm-dir /dev/dax0.0 --resume \
	--erase
code=0
setpriv --reuid 65534 --clear-groups "$aslant" run vomm --n 9 --ranks 1 \
	--nvm-dir /dev/dax0.0 >out 2>err </dev/null || code=$?
[ $code = 3 ] && [ "$(wc -l <err)" = 1 ] ||
	fail "without permission: exit code $code: $(cat err)"
says "/dev/dax0.0: Permission denied"

# ---- What was there ----

head_of /dev/dax0.0 hello >/dev/null
for more in "" --resume; do
	refuses 2 "found something else than a pool of aslant" vomm --n 9 \
		--nvm-dir /dev/dax0.0 $more
done
case $(head_of /dev/dax0.0) in
hello*) ;;
*) fail "it is overwritten" ;;
esac
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax0.0 --erase
empty /dev/dax0.0
flip /dev/dax0.0 -512 # a partition table's copy
refuses 2 "found something else than a pool of aslant" vomm --n 9 \
	--nvm-dir /dev/dax0.0
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax0.0 --erase
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax0.0
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax0.0 --keep
[ "$(head_of /dev/dax0.0)" = "PMEMOBJ aslant complete" ] || fail "nothing is kept"
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax0.0

# ---- A run that is killed ----

case=(em-jomma --n 640 --ranks 1 --cache 3k --nvm-dir /dev/dax1.0)
"$aslant" run em-jomma --n 640 --ranks 1 --cache 3k --store dram \
	--result whole.npy >out 2>err </dev/null || fail "$(cat err)"
"$aslant" run "${case[@]}" --resume --result again.npy >out 2>err </dev/null &
until [ "$(head_of /dev/dax1.0)" = "PMEMOBJ aslant resume complete" ] ||
	! kill -0 $! 2>/dev/null; do
	sleep 0.05
done
computes $! 60
kill -STOP $! || fail "it was over before it could be stopped"
refuses 3 "another run has it open" vomm --n 9 --nvm-dir /dev/dax1.0
kill -9 $!
wait $! 2>/dev/null
refuses 2 "found an interrupted run.*--resume continues it" vomm --n 9 \
	--nvm-dir /dev/dax1.0
refuses 2 "is of another case" vomm --n 9 --nvm-dir /dev/dax1.0 --resume
for at in 16 $((4096 + 1024)); do # libpmemobj's head, and its description
	flip /dev/dax1.0 $at
	refuses 2 "pool /dev/dax1.0 is damaged" "${case[@]}" --resume
	flip /dev/dax1.0 $at
done
at=$((0x543000)) # where there are words
lists /dev/dax1.0 $at
refuses 3 "pool /dev/dax1.0: offset $at: " "${case[@]}" --resume
umount "$listed"
runs "${case[@]}" --resume --result again.npy
says "^resumed  *life 2"
cmp whole.npy again.npy || fail "another result"
empty /dev/dax1.0
lists /dev/dax1.0 $at
refuses 3 "pool /dev/dax1.0: offset $at: " vomm --n 9 --nvm-dir /dev/dax1.0
umount "$listed"
runs vomm --n 9 --ranks 1 --nvm-dir /dev/dax1.0
exit $lab_failed
