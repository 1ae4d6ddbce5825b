#!/bin/bash
# net_job.sh -- ofi and mpi keep the promises of net.h, as jobs of processes
#
# BUILD is the build directory.
set -u

program=${BUILD:?}/tests/net_messages
failed=0

# say WHAT CODE PATTERN COMMAND... : its exit code, and what stderr must say;
# a pattern of '' is for silence
say() {
	local what=$1 want=$2 pattern=$3 err status

	shift 3
	err=$(timeout 60 "$@" 2>&1 >/dev/null)
	status=$?
	if [ $status -ne "$want" ] ||
		! grep -q "${pattern:-^$}" <<<"$err"; then
		echo "net_job: $what: exit code $status, not $want;" \
			"stderr, which should have '$pattern':"
		echo "$err"
		failed=1
	fi
	lines=$(grep -c . <<<"$err")
}

# job CODE PATTERN RANKS ARGUMENT...
job() {
	local want=$1 pattern=$2 ranks=$3

	shift 3
	say "$ranks ranks, $*" "$want" "$pattern" \
		mpiexec.mpich -n "$ranks" "$program" "$@"
}

# unlike CODE PATTERN VALUE0 VALUE1 ARGUMENT... : FI_PROVIDER differs by rank
unlike() {
	local want=$1 pattern=$2 first=$3 second=$4

	shift 4
	say "FI_PROVIDER '$first' and '$second', $*" "$want" "$pattern" \
		mpiexec.mpich -n 1 env ${first:+FI_PROVIDER="$first"} \
		"$program" "$@" : \
		-n 1 env ${second:+FI_PROVIDER="$second"} "$program" "$@"
}

one_line() {
	[ "$lines" = 1 ] && return
	echo "net_job: $*: $lines lines where one is enough"
	failed=1
}

sizes=(1 5)
[ "${ASLANT_TEST_CASES-}" != all ] || sizes=(1 3 8)
for ranks in "${sizes[@]}"; do
	job 0 '' "$ranks" ofi net
	job 0 '' "$ranks" ofi shm
	job 0 '' "$ranks" mpi
done
job 0 '' 2 ofi

# Ranks that share cores are woken by who sends to them.
job 0 '' $(($(nproc) + 2)) ofi shm wake

# On one host MPI skips what a start does not need; a user's own settings stay.
job 0 'hwloc: not set, nolocal: 1' "$(nproc)" mpi '' environment
if [ "$(nproc)" -gt 1 ]; then
	job 0 'hwloc: not set, nolocal: not set' 1 mpi '' environment
fi
export HWLOC_COMPONENTS=-pci MPIR_CVAR_NOLOCAL=0
job 0 'hwloc: -pci, nolocal: 0' "$(nproc)" mpi '' environment
unset HWLOC_COMPONENTS MPIR_CVAR_NOLOCAL

for transport in 'ofi net' 'ofi shm' 'mpi '; do
	read -r name provider <<<"$transport"
	job 6 'rank 0 sends 90 bytes, but rank 2 expects 100' 3 \
		"$name" "$provider" short
	job 6 'aslant: rank 2: rank 0 sends' 3 "$name" "$provider" long
	job 7 'aslant: rank 1: had enough' 3 "$name" "$provider" abort
	job 7 'aslant: rank 0: as everybody says' 4 "$name" "$provider" alike
	one_line "$transport" alike
	for rank in 0 1; do
		job 5 "aslant: rank $rank (.*killed by signal 7" 2 \
			"$name" "$provider" gone $rank
		one_line "$transport" gone $rank
	done
done
job 1 "no provider 'nowhere'.*shm" 2 ofi nowhere

# Ranks that see different providers choose one together, or fail together.
unlike 0 '' '' tcp ofi
unlike 0 '' tcp '' ofi
unlike 0 '' '^shm' '' ofi
unlike 0 '' 'tcp,shm' shm ofi
unlike 1 "rank 1: libfabric has no provider 'tcp'" '' shm ofi tcp
unlike 1 ": libfabric has no provider 'tcp'" shm '' ofi tcp

# Only the second rank is refused, and both end.
say 'two sizes' 1 '3 ranks are wanted, but the job has 2' \
	mpiexec.mpich -n 1 "$program" mpi : -n 1 "$program" mpi "" size 3
exit $failed
