#!/bin/bash
# fault_pool.sh -- a medium that fails: the pool is named, and nothing is left
#
# I/O errors by tests/help/faults.c: of fallocate, of any msync, of fsync and writes of
# results, of a pool's head; and pages that are gone, by cutting files short while they
# are mapped.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
ulimit -c 0
mkdir pools
pools=$work/pools
export ASLANT_NVM_DIR=$pools

# fails CALL AT PATTERN ARGUMENTS...
fails() {
	local pattern=$3 status
	FAULT_CALL=$1 FAULT_AT=$2 FAULT_CALLS=${calls:-1} FAULT_ERRNO=${errno:-0} \
		LD_PRELOAD=$faults timeout 60 "$aslant" "${@:4}" >out 2>err </dev/null
	status=$?
	[ $status = 3 ] || fail "$*: exit code $status: $(cat err)"
	[ "$(grep '^aslant: ' err | grep -vc 'note:')" = 1 ] ||
		fail "$*: not one line: $(cat err)"
	says "^aslant: .*$pattern" err
	[ -z "$(ls pools)" ] || fail "$*: left $(ls pools)"
}

case $(stat -f -c %T .) in
tmpfs | ramfs) export PMEM_IS_PMEM_FORCE=0 ;; # msync, as on a disk
esac
run=(run em-jomma --n 40 --ranks 4)
fails fallocate 1 "pool $pools/aslant-.*: Input/output error" "${run[@]}"
fails fallocate 3 "pool $pools/aslant-.*: Input/output error" "${run[@]}"
errno=28 fails fallocate 1 "no room for the pool $pools" "${run[@]}"
errno=122 fails fallocate 1 "no room for the pool $pools" "${run[@]}" # EDQUOT
errno=28 fails fallocate 2 "pool in $pools: .*No space left" "${run[@]}"
FAULT_CALL=msync FAULT_TO=count LD_PRELOAD=$faults \
	"$aslant" "${run[@]}" >out 2>err || fail "msync: $(cat err)"
all=$(cat count)
[ "$all" -gt 50 ] || fail "found $all calls of msync, expected more"
# Those of libpmemobj are among them, which ends us where it cannot write.
for at in $(seq 1 $((all / 9)) $((all - 1))); do
	calls=99999 fails msync "$at" \
		"\(the pool $pools/.*-[0-3].pool\|pool in $pools\|a new pool\): .*Input/output error" \
		"${run[@]}"
done
fails fsync 1 "$work/c.npy: Input/output error" run vomm --n 9 --store dram \
	--result "$work/c.npy"
fails write 1 "$work/c.npy: Input/output error" run vomm --n 9 --store dram \
	--result "$work/c.npy"
fails write 1 "$work/c.mtx: Input/output error" run vomm --n 9 --store dram \
	--result "$work/c.mtx"
fails fsync 1 "$work/c.csv: Input/output error" run vomm --n 9 --store dram \
	--csv "$work/c.csv"
for at in 1 2 3 4; do
	fails write $at "$work/dir/.*: Input/output error" run vomm --n 9 \
		--store dram --out "$work/dir"
done
[ -z "$(find . -name 'c.*' -o -name dir)" ] || fail "left $(ls)"

# ---- A head that cannot be read ----

resumable=(run vomm --n 9 --ranks 1 --nvm-dir "$pools" --resume --keep)
expect 0 "${resumable[@]}"
cp pools/aslant-resume-0.pool whole
for at in 1 2; do
	FAULT_CALL=pread FAULT_AT=$at LD_PRELOAD=$faults expect 3 "${resumable[@]}"
	says "^aslant: .*pool $pools/aslant-resume-0.pool: offset $((4096 * (at - 1))): Input/output error$" err
	[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
	cmp whole pools/aslant-resume-0.pool || fail "it is not kept as it was"
done
expect 0 "${resumable[@]}"
says "^resumed  *life 2" out
rm pools/* whole

# A file system that is full has no page for a hole: libpmemobj, or we, meet SIGBUS.
holes() {
	local at small=$work/small
	local again=(run vomm --n 100 --ranks 1 --nvm-dir "$small" --resume)
	mount -t tmpfs -o size=16m tmpfs "$small" || return
	expect 0 "${again[@]}" --keep
	cp "$small/aslant-resume-0.pool" whole
	for at in $((64 << 10)) $(($(grep -abo -m1 ASLNPOOL whole | cut -d: -f1) & ~4095)); do
		fallocate -p -o "$at" -l 4096 "$small/aslant-resume-0.pool"
		head -c 16m /dev/zero >"$small/full" 2>/dev/null
		expect 3 "${again[@]}"
		says "^aslant: the pool $small/aslant-resume-0.pool lost a page while it was in use, at offset $at:" err
		[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
		rm "$small/full"
		dd if=whole of="$small/aslant-resume-0.pool" bs=4096 count=1 \
			skip=$((at / 4096)) seek=$((at / 4096)) conv=notrunc \
			2>/dev/null
	done
	expect 0 "${again[@]}"
	says "^resumed  *life 2" out
}

if unshare -m true 2>/dev/null; then
	mkdir small
	export -f holes expect fail says
	export aslant work
	unshare -m bash -c 'out=out err=err; holes'
else
	echo "not checked with holes: mounting is not permitted"
fi

# ---- Pages that are gone ----

# repeats PID: several rows are there, or it has ended
repeats() {
	[ "$(wc -c <out)" -gt 4000 ] || ! kill -0 "$1" 2>/dev/null
}

# lost FILE PATTERN ARGUMENTS...: FILE is cut short while they run
lost() {
	local file=$1 pattern=$2 code
	shift 2
	: >out
	timeout 60 "$aslant" "$@" --reps 1m --csv - >out 2>err </dev/null &
	until_true 30 repeats $! || fail "$*: does not begin"
	# shellcheck disable=SC2086 # a pattern
	truncate -s 0 $file
	wait $!
	code=$?
	# In a job mpiexec makes one of those of all ranks, which it kills.
	[ $code = 3 ] || { [[ $* = *--launch* ]] && [ $code != 0 ]; } ||
		fail "$*: exit code $code: $(cat err)"
	says "^aslant: .*$pattern lost a page while it was in use, at offset [0-9]*:" err
	[ "$(grep '^aslant: ' err | grep -vc 'note:')" = 1 ] ||
		fail "$*: not one line: $(cat err)"
}

export ASLANT_NVM_DIR=/dev/shm/aslant-fault-pool-$$
mkdir -m 700 "$ASLANT_NVM_DIR"
trap '[ $BASHPID != $$ ] || rm -rf "$work" "$ASLANT_NVM_DIR"' EXIT
lost "$ASLANT_NVM_DIR/aslant-*-0.pool" "the pool $ASLANT_NVM_DIR/aslant-.*-0.pool" \
	run vomm --n 200 --keep
lost "$ASLANT_NVM_DIR/aslant-*-2.pool" "the pool $ASLANT_NVM_DIR/aslant-.*-2.pool" \
	run em-jomma --n 200 --ranks 4 --keep
rm -f "$ASLANT_NVM_DIR"/*
lost "$ASLANT_NVM_DIR/aslant-*-1.pool" \
	"rank 1: the pool $ASLANT_NVM_DIR/aslant-.*-1.pool" \
	run em-jomma --n 200 --ranks 3 --launch --keep
expect 0 run vomm --n 300 --store dram --entries exact --result a.npy
lost a.npy "the file $work/a.npy" run vomm --a "$work/a.npy" --n 300 --store dram

[ ! -e failed ]
