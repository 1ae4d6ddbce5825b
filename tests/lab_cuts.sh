#!/bin/bash
# lab_cuts.sh -- the power of a whole host is cut, and its runs are resumed
#
# A run with --resume on a DAX file system, of each family: at a random moment the
# guest is killed.  It boots again, mounts what is there and has the same command:
# the result is that of an undisturbed run, bit by bit, counted as predicted.
# ASLANT_TEST_KILLS=N cuts N times (6), ASLANT_TEST_SEED=S at other moments (1).
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1

# ---- In the guest: cut ARGUMENTS..., or resume ARGUMENTS... ----

pool=/pm/aslant-resume-0.pool

disk() {
	if [ ! -e "$LAB/formatted" ]; then
		lab_fsdax 0 ext4 /pm && echo >"$LAB/formatted"
	else
		lab_mount ext4 /dev/pmem0 /pm -o dax=always
	fi
}

begins() {
	until [ -e $pool ]; do
		sleep 0.05
	done
	echo >"$LAB/begun"
}

if [ -n "${LAB_NODE-}" ]; then
	how=$1
	shift
	cd "$(mktemp -d)" || exit 1
	disk || fail "no DAX file system"
	[ "$how" != cut ] || begins &
	runs fsdax "$aslant" run "$@" --resume --result is.npy
	! grep '^resumed  *life [2-9]' out >>"$LAB/resumed" || echo "resumed: $*"
	"$aslant" run "$@" --store dram --result expected.npy >out 2>err ||
		fail "$(cat err)"
	cmp is.npy expected.npy || fail "$*: another result"
	exit $lab_failed
fi

# ---- Outside ----

lab_or_skip "$0"
script=$(realpath "$0")
RANDOM=${ASLANT_TEST_SEED:-1}
cases=(
	"em-jomma --n 240 --ranks 1 --cache 3000"
	"sttsv --n 120"
	"einsum --spec ijk,kl,jl->il --dims i=60,j=60,k=60,l=8"
	"ooc-auto --n 160 --memory-budget 16KiB"
	"hopm --n 80"
	"summa-l3ool2 --n 160 --cache 3000"
)

# cut ARGUMENTS...: up to five seconds after its pool is there
cut() {
	rm -f "$LAB/begun"
	lab_begin 0 "$script" cut "$@" || return
	lab_until 300 0 test -e "$LAB/begun" || fail "$*: it does not begin"
	sleep $((RANDOM % 5)).$((RANDOM % 10))
	lab_cut 0
}

for ((i = 0; i < ${ASLANT_TEST_KILLS:-6}; i++)); do
	read -ra arguments <<<"${cases[i % ${#cases[@]}]}"
	cut "${arguments[@]}"
	lab_begin 0 "$script" resume "${arguments[@]}" || fail "no boot"
	lab_wait 0 600 || fail "${arguments[*]}"
done
# At some moments there is nothing yet to resume, or no longer.
[ "$(grep -c . "$LAB/resumed")" -ge 2 ] || fail "hardly any run was resumed"

exit $lab_failed
