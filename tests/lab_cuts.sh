#!/bin/bash
# lab_cuts.sh -- the power of a whole host is cut, and its runs are resumed
#
# At a random moment of a run with --resume the guest is killed.  It boots again and
# has the same command: the result is that of an undisturbed run, bit by bit, counted
# as predicted.  Then the next run begins in it, which the next cut ends, so that each
# moment takes one boot.  Cases of all families take turns on a DAX file system; then
# there are two cuts on a DAX device, and one of the second of two hosts of a job.
#
# ASLANT_TEST_CUTS=N cuts N times on the file system (8, once in each case;
# ASLANT_TEST_CASES=all: 50), ASLANT_TEST_SEED=S at other moments (1).
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
cases=(
	"em-jomma --n 480 --ranks 1 --cache 3000"
	"sttsv --n 240"
	"einsum --spec ijk,kl,jl->il --dims i=120,j=120,k=120,l=8"
	"ooc-auto --n 320 --memory-budget 64KiB"
	"hopm --n 160"
	"summa-l3ool2 --n 400 --cache 3000"
	"cpgrad --n 240 --cp-rank 2"
	"ooc-auto --spec ijk,kl->ijl --dims i=40,j=40,k=100,l=100 --memory-budget 64KiB"
)
turns=${#cases[@]}
job=$turns # of two hosts
cases+=("em-jomma --n 800 --ranks 2 --cache 3000")

# ---- In a guest ----

# powered: what is on the DIMM is there again; at first it is made
powered() {
	local made=$LAB/made.$medium.$LAB_NODE new=

	[ -e "$made" ] || new=new
	echo >"$made"
	case $new$medium in
	newfsdax) lab_fsdax 0 ext4 /pm ;;
	fsdax) lab_mount ext4 /dev/pmem0 /pm -o dax=always ;;
	newdevdax) lab_devdax 0 ;;
	devdax) modprobe -a device_dax dax_pmem ;;
	esac || fail "the DIMM is not as it was"
}

# takes CASE: to `run`
takes() {
	read -ra run <<<"${cases[$1]}"
	run=("$aslant" run "${run[@]}")
	case=$1
}

# knows [OPTION...]: the result of an undisturbed run, and how long it took
knows() {
	local from=$EPOCHREALTIME

	[ ! -e "$LAB/expected.$case.npy" ] || return 0
	"${run[@]}" "$@" --result expected.npy --nvm-dir "$lab_pools" >out 2>err \
		</dev/null || fail "${run[*]}: $(cat err)"
	awk "BEGIN {print $EPOCHREALTIME - $from}" >"$LAB/took.$case"
	cp expected.npy "$LAB/expected.$case.npy"
}

# loses [OPTION...]: the run that is to be cut
loses() {
	knows "$@"
	[ "$case" = "$job" ] || echo >"$LAB/begun"
	"${run[@]}" --resume "$@" --result lost.npy --nvm-dir "$lab_pools" \
		>out 2>err </dev/null
}

# finds [OPTION...]: the run that was cut
finds() {
	runs "$medium" "${run[@]}" --resume "$@" --result is.npy
	cmp is.npy "$LAB/expected.$case.npy" ||
		fail "${run[*]}: another result"
	echo "$medium: $(grep -o '^resumed  *life [0-9]*' out || echo 'from the start'):" \
		"${run[*]:2}"
}

# turn MEDIUM CUT NEXT: numbers of cases, or nothing
turn() {
	medium=$1
	[ "$medium" != devdax ] || lab_pools=/dev/dax0.0
	powered
	if [ -n "$2" ]; then
		takes "$2"
		finds
	fi
	[ -n "$3" ] || exit "$lab_failed"
	takes "$3"
	loses || fail "${run[*]}: $(cat err)"
	sleep 600
}

# both: a job of this host and of another, which is cut
both() {
	medium=fsdax
	powered
	mkdir -p "$LAB/work" # mpiexec wants it on both
	cd "$LAB/work" || exit 1
	takes "$job"
	if [ "$LAB_NODE" = 1 ]; then
		lab_serve
		echo >"$LAB/there"
		# Before, mpiexec would wait for ever for a host that is gone.
		until compgen -G "/pm/aslant-*.pool" >/dev/null; do sleep 0.1; done
		echo >"$LAB/begun"
		sleep 900
	fi
	lab_hosts
	until [ -e "$LAB/there" ]; do sleep 0.1; done
	loses --launch --bind core
	echo "two hosts: exit code $?: $(cat err)"
	until [ -e "$LAB/cut" ] && [ -e "$LAB/there" ]; do sleep 0.1; done
	finds --launch --bind core
	exit "$lab_failed"
}

if [ -n "${LAB_NODE-}" ]; then
	exec >>"$LAB/told" 2>&1
	cd "$(mktemp -d)" || exit 1
	"$@"
	exit 1
fi

# ---- Outside ----

lab_or_skip "$0"
script=$(realpath "$0")
RANDOM=${ASLANT_TEST_SEED:-1}
touch "$LAB/told"

# moment CASE FROM TO: of its run, parts of the time that it takes, once it has begun
moment() {
	lab_until 400 0 test -e "$LAB/begun" || fail "${cases[$1]}: does not begin"
	sleep "$(awk "BEGIN {print ($2 + ($3 - $2) * $RANDOM / 32768) * \
		$(cat "$LAB/took.$1")}")"
}

# cuts MEDIUM TIMES
cuts() {
	local i cut='' next

	for ((i = 0; i < $2; i++)); do
		next=$((i % turns))
		rm -f "$LAB/begun"
		lab_begin 0 "$script" turn "$1" "$cut" $next || return
		moment "$next" 0.3 1
		lab_cut 0
		cut=$next
	done
	lab_begin 0 "$script" turn "$1" "$cut" '' && lab_wait 0 600
}

cut_one_of_two() {
	rm -f "$lab_memory"/dimm* "$LAB"/made.* "$LAB/begun"
	lab_begin 0 "$script" both && lab_begin 1 "$script" both || return
	moment "$job" 0 0.1
	lab_cut 1
	rm "$LAB/there"
	echo >"$LAB/cut"
	lab_begin 1 "$script" both && lab_wait 0 600
}

times=$turns
[ "${ASLANT_TEST_CASES-}" != all ] || times=50
times=${ASLANT_TEST_CUTS:-$times}
cuts fsdax "$times" || fail "not all on a file system"
rm "$lab_memory"/dimm*
cuts devdax 2 || fail "not all on a device"
cut_one_of_two || fail "not one of two hosts"
cat "$LAB/told"
! grep -q '^lab_cuts: ' "$LAB/told" || lab_failed=1
[ "$(grep -c ': resumed ' "$LAB/told")" -ge $((times / 3)) ] ||
	fail "hardly any run was resumed"

exit "$lab_failed"
