#!/bin/bash
# net_job.sh -- ofi and mpi keep the promises of net.h, as jobs of processes
#
# BUILD is the build directory.
set -u

program=${BUILD:?}/tests/net_messages
failed=0

# job CODE PATTERN RANKS ARGUMENT... : its exit code, and what stderr must say
job() {
	local want=$1 pattern=$2 ranks=$3 err status

	shift 3
	err=$(timeout 60 mpiexec.mpich -n "$ranks" "$program" "$@" 2>&1 >/dev/null)
	status=$?
	if [ $status -ne "$want" ] || ! grep -q "$pattern" <<<"$err"; then
		echo "net_job: $ranks ranks, $*: exit code $status, not $want;" \
			"stderr, which should have '$pattern':"
		echo "$err"
		failed=1
	fi
}

for ranks in 1 3 8; do
	job 0 '' $ranks ofi net
	job 0 '' $ranks ofi shm
	job 0 '' $ranks mpi
done
job 0 '' 2 ofi

for transport in 'ofi net' 'ofi shm' 'mpi '; do
	read -r name provider <<<"$transport"
	job 6 'rank 0 sends 90 bytes, but rank 2 expects 100' 3 \
		"$name" "$provider" short
	job 6 'aslant: rank 2: rank 0 sends' 3 "$name" "$provider" long
	job 7 'aslant: rank 1: had enough' 3 "$name" "$provider" abort
done
job 1 "no provider 'nowhere'.*shm" 2 ofi nowhere
exit $failed
