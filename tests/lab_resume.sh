#!/bin/bash
# lab_resume.sh -- a run of each family on fsdax is killed and resumed, in a guest
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0" 1 900

lab_fsdax 0 xfs /pm || fail "no DAX file system"
resumes run summa-l3ool2 --n 400 --cache 3000
resumes run sttsv --n 240
resumes run hopm --n 160
resumes run einsum --spec 'ijk,kl,jl->il' --dims i=120,j=120,k=120,l=8
resumes run ooc-auto --n 320 --memory-budget 64KiB

exit $lab_failed
