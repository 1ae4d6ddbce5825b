#!/bin/bash
# lab_poison.sh -- bad blocks of a persistent DIMM under pools, in a guest
#
# The kernel is told of them: blocks in its list for the DIMM, which it then refuses to
# map or read, and pages that are lost while they are mapped, as by a machine check.
# A run ends with the pool's name and the offset.  The pools of an interrupted run stay
# as they are, and once the blocks can be read again, it is resumed from them.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0"

pool=/pm/aslant-resume-0.pool
lane=8192 # libpmemobj's first, after two pages of heads

# sector FILE OFFSET: of the DIMM
sector() {
	filefrag -v -b512 "$1" | awk -v at=$(($2 / 512)) -F'[ .:]+' '
		$2 ~ /^[0-9]+$/ && at >= $3 && at <= $4 {print $5 + at - $3}'
}

# spoil FILE OFFSET: a page of it
spoil() {
	echo "$(sector "$1" "$2") 8" >/sys/block/pmem0/badblocks ||
		fail "no bad block"
}

# heal: the kernel reads its list anew
heal() {
	umount /pm
	ndctl disable-namespace namespace0.0 >/dev/null 2>&1
	ndctl enable-namespace namespace0.0 >/dev/null 2>&1
	lab_mount ext4 /dev/pmem0 /pm -o dax=always || fail "not mounted again"
	[ -z "$(cat /sys/block/pmem0/badblocks)" ] || fail "bad blocks are left"
}

# lose FILE OFFSET [COMMAND...]: a page of it, for all that have it mapped; with a
# command as soon as that has touched the page.  Then its exit code.
lose() {
	python3 - "$@" <<'PYTHON'
import mmap, os, signal, subprocess, sys, time
path, at, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

def touched(pid):
    for line in open(f"/proc/{pid}/maps"):
        x = line.split()
        begin, end = (int(y, 16) for y in x[0].split("-"))
        page = begin + at - int(x[2], 16)
        if x[-1] == path and begin <= page < end:
            with open(f"/proc/{pid}/pagemap", "rb") as f:
                f.seek(page // 4096 * 8)
                return f.read(8)[7] & 128  # it is present

def lose():
    child = os.fork()  # it ends with SIGBUS
    if child == 0:
        m = mmap.mmap(os.open(path, os.O_RDWR), at + (2 << 20) & -2 << 20)
        m[at]
        m.madvise(100, at, 4096)  # MADV_HWPOISON
    os.waitpid(child, 0)

if not command:
    lose()
    sys.exit()
run = subprocess.Popen(command, stdin=subprocess.DEVNULL)
while run.poll() is None and not touched(run.pid):
    time.sleep(0.001)
run.send_signal(signal.SIGSTOP)
lose()
run.send_signal(signal.SIGCONT)
sys.exit(run.wait())
PYTHON
}

# ends PATTERN: with exit code 3, in one line
ends() {
	[ "$code" = 3 ] || fail "exit code $code, expected 3: $(cat err)"
	[ "$(grep '^aslant: ' err | grep -vc 'note:')" = 1 ] ||
		fail "not one line: $(cat err)"
	says "^aslant: .*$1"
}

lab_fsdax 0 ext4 /pm || fail "no DAX file system"

# As by a machine check: without, only the child of lose would hear of a page that is lost.
sysctl -qw vm.memory_failure_early_kill=1 || fail "no machine checks"

# ---- Under the pool of an interrupted run ----

# begins ARGUMENTS...: a run, which is interrupted
begins() {
	run=("$aslant" run "$@")
	"${run[@]}" --store dram --result whole.npy >out 2>err </dev/null ||
		fail "$(cat err)"
	run+=(--resume --result again.npy)
	for hundredths in 20 10 5 3 2 1; do
		[ -e $pool ] || interrupt $hundredths "${run[@]}" --nvm-dir /pm
	done
	cp $pool kept
	root=$(grep -abo -m1 ASLNPOOL kept | cut -d: -f1)
}

# spoilt OFFSET: it is not resumed from there, and stays as it is
spoilt() {
	spoil $pool "$1"
	"${run[@]}" --nvm-dir /pm >out 2>err </dev/null
	code=$?
	ends "pool $pool.* offset $1: "
	[ ! -e again.npy ] || fail "offset $1: there is a result"
	heal
	cmp kept $pool || fail "offset $1: it was changed"
}

# lost OFFSET: it is resumed, and loses this page then
lost() {
	lose $pool "$1" "${run[@]}" --nvm-dir /pm >out 2>err
	code=$?
	ends "the pool $pool lost a page .*at offset $1:"
	[ ! -e again.npy ] || fail "offset $1 is lost: there is a result"
	heal
}

# goes_on: from where it was, to the same result
goes_on() {
	runs fsdax "${run[@]}"
	says '^resumed  *life [2-9]'
	cmp whole.npy again.npy || fail "${run[*]}: another result"
	rm again.npy
}

# PMDK's head, the first lane (libpmemobj's own undo and redo logs), the journal in the
# root object, A, and the end, where no words lie.  See struct asl_pool.
begins em-jomma --n 480 --ranks 1 --cache 3000
journal=$(((root + 4224) & ~4095))
for at in 0 $lane $journal $((0x410000)) $(($(stat -c %s $pool) - 4096)); do
	spoilt "$at"
done
for at in 0 $lane $journal $((0x410000)); do
	lost "$at"
done
goes_on

# The log of vectors that change in place.
begins hopm --n 160
log=$(($(od -An -tu8 -j $((root + 104)) -N 8 kept) & ~4095))
[ $log -gt 0 ] || fail "it has no log"
spoilt $log
lost $log
goes_on

# ---- Under a run, which has it mapped ----

# loses PLACE FILE ARGUMENTS...: a page of an operand, while there is a run on it
loses() {
	local place=$1 file=$2 at=$((0x440000))

	"$aslant" run "${@:3}" --nvm-dir "$place" --keep --reps 1000000 --csv - \
		>out 2>err </dev/null &
	until [ "$(wc -l <out)" -ge 2 ] || ! kill -0 $!; do
		sleep 0.1
	done
	# shellcheck disable=SC2086 # a pattern
	lose $file $at
	wait $!
	code=$?
	# Over MPI mpiexec has a code of its own.
	[[ $* != *--launch* ]] || [ $code = 0 ] || code=3
	# A device has pages of 2 MiB.
	[ "$place" = /pm ] || at=$((at & -2 << 20))
	# shellcheck disable=SC2086
	ends "the pool $(echo $file) lost a page .*at offset $at:"
	rm -f /pm/*.pool
}

one="/pm/aslant-*-0.pool"
loses /pm "$one" em-jomma --n 240 --ranks 1
loses /pm "$one" sttsv --n 120
loses /pm "$one" einsum --spec 'ijk,kl->ijl' --dims i=60,j=60,k=60,l=8
loses /pm "$one" ooc-auto --n 240 --memory-budget 64KiB

# The kernel meets it, where it copies messages.
for way in "--provider net" "--provider shm" "--transport mpi"; do
	# shellcheck disable=SC2086 # several words
	loses /pm "$one" 3d --n 400 --ranks 2 --launch $way
done

umount /pm
lab_devdax 0 || fail "no DAX device"
loses /dev/dax0.0 /dev/dax0.0 em-jomma --n 240 --ranks 1

exit $lab_failed
