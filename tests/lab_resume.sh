#!/bin/bash
# lab_resume.sh -- a run of each family on fsdax is killed and resumed, in a guest
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0" 1 900

lab_fsdax 0 xfs /pm || fail "no DAX file system"
resumes run summa-l3ool2 --n 160 --cache 3000
resumes run sttsv --n 120
resumes run hopm --n 80
resumes run einsum --spec 'ijk,kl,jl->il' --dims i=60,j=60,k=60,l=8
resumes run ooc-auto --n 160 --memory-budget 16KiB

exit $lab_failed
