#!/bin/bash
# lab_fsdax.sh -- pools on DAX file systems of a persistent DIMM, in a guest
#
# A run of each family on ext4, one that is killed and resumed, and one on xfs: the
# medium is fsdax, counts are as predicted.  The kernel says how: the pool is mapped
# with MAP_SYNC, and the run calls no msync.  Without DAX the same DIMM is a file.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0"

# flushed COMMAND...: by the processor
flushed() {
	runs fsdax strace -f --seccomp-bpf -e trace=mmap,msync -o calls "$@"
	grep -q 'MAP_SHARED_VALIDATE|MAP_SYNC.* = 0x' calls ||
		fail "$*: nothing is mapped with MAP_SYNC: $(cat calls)"
	# PMDK secures its own head by msync where it makes a pool, or closes it.
	! grep -E 'msync\(' calls | grep -vE ', 40(88|96), MS_SYNC' ||
		fail "$*: waits for the kernel"
}

lab_fsdax 0 ext4 /pm || fail "no DAX file system"
flushed "$aslant" run em-jomma --n 24 --ranks 1
flushed "$aslant" run sttsv --n 24
flushed "$aslant" run einsum --spec 'ijk,kl->ijl' --dims i=6,j=5,k=4,l=7
flushed "$aslant" run ooc-auto --n 24 --memory-budget 4KiB
resumes run em-jomma --n 480 --cache 3000

umount /pm
lab_format xfs /dev/pmem0
lab_mount xfs /dev/pmem0 /pm -o dax=always || fail "no DAX on xfs"
flushed "$aslant" run em-jomma --n 24 --ranks 1

umount /pm
lab_mount xfs /dev/pmem0 /pm -o dax=never
runs file "$aslant" run em-jomma --n 24 --ranks 1
says "note: pools lie in the page cache of .*they would lie on pmem0"

exit $lab_failed
