#!/bin/bash
# lab_rdma.sh -- jobs of two hosts over RDMA: two guests with soft-RoCE
#
# Without --provider verbs is taken.  Every family is verified and counted as
# predicted over it, on pools of a DAX file system of each host, and what is counted
# is what tcp counts.  A rank that is killed ends the job.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
lab_dimms=1
lab_enter "$0" 2 900

aslant=${ASLANT:?}
failed=0

fail() {
	echo "lab_rdma: $*"
	failed=1
}

modprobe -a rdma_rxe rdma_ucm ib_uverbs
rdma link add rxe0 type rxe netdev eth0 || fail "no soft-RoCE"
lab_fsdax 0 ext4 /pm || fail "no DAX file system"
touch "$LAB/ready.$LAB_NODE"

until [ -e "$LAB/ready.0" ] && [ -e "$LAB/ready.1" ]; do
	sleep 0.1
done

# ---- Node 1 starts what mpiexec on node 0 asks for, as ssh would ----

if [ "$LAB_NODE" = 1 ]; then
	turn=0
	until [ -e "$LAB/over" ]; do
		if [ -e "$LAB/ask.$turn" ]; then
			bash -c "$(cat "$LAB/ask.$turn")" </dev/null \
				>"$LAB/said-there.$turn" 2>&1
			touch "$LAB/answer.$turn"
			turn=$((turn + 1))
		fi
		sleep 0.1
	done
	exit $failed
fi

cat >"$LAB/enter" <<'ENTER'
#!/bin/bash
while [[ $1 = -* ]]; do shift; done
shift # the host: there is one
turn=0
while [ -e "$LAB/ask.$turn" ]; do
	turn=$((turn + 1))
done
echo "$*" >"$LAB/asks"
mv "$LAB/asks" "$LAB/ask.$turn"
until [ -e "$LAB/answer.$turn" ]; do
	sleep 0.1
done
cat "$LAB/said-there.$turn"
ENTER
chmod +x "$LAB/enter"
export HYDRA_LAUNCHER_EXEC=$LAB/enter LAB
# UCX, below MPI, takes soft-RoCE for a device that it knows.
export UCX_TLS=tcp,self,sm
export ASLANT_LAUNCH="mpiexec.mpich -launcher ssh -hosts node0:1,node1:1 -iface eth0 -n"

mkdir "$LAB/work" # mpiexec wants it on both
cd "$LAB/work" || exit 1

# says PATTERN: of `out` and `err`
says() {
	cat out err | grep -q -e "$1" || fail "expected '$1' in $(cat out err)"
}

# job ARGUMENTS...: two ranks, verified, as predicted
job() {
	"$aslant" run "$@" --ranks 2 --launch --nvm-dir /pm --csv row.csv \
		>out 2>err </dev/null || fail "$*: exit code $?: $(cat err)"
	is predicted_equal 1
	is verified 1
	is medium fsdax
}

# is COLUMN VALUE
is() {
	local found
	found=$(python3 -c 'import csv, sys
print(list(csv.DictReader(open("row.csv")))[-1][sys.argv[1]])' "$1")
	[ "$found" = "$2" ] || fail "$1 is '$found', expected '$2'"
}

families=("em-jomma --n 24" "sttsv --n 24 --steiner cover"
	"einsum --spec ijk,kl->ijl --dims i=6,j=5,k=4,l=7"
	"ooc-auto --n 24 --memory-budget 4KiB"
	"3d --n 400") # messages of 640 KB from pools, which cannot be registered
counted="q_full_max read_words_max write_words_max bh_words_max net_msgs_max"
for family in "${families[@]}"; do
	# shellcheck disable=SC2086 # several words
	job $family
	is transport ofi
	is provider 'verbs;ofi_rxm'
	mv row.csv verbs.csv
	# shellcheck disable=SC2086
	job $family --provider net
	is provider net
	python3 - "$counted" <<'PYTHON' || fail "$family: verbs counts otherwise"
import csv, sys
a, b = (list(csv.DictReader(open(f)))[-1] for f in ("verbs.csv", "row.csv"))
assert all(a[c] == b[c] for c in sys.argv[1].split())
PYTHON
done

# ---- A rank is killed ----

"$aslant" run em-jomma --n 24 --ranks 2 --launch --provider verbs \
	--nvm-dir /pm --reps 1000000 --csv - >out 2>err </dev/null &
until [ -s out ] || ! kill -0 $! 2>/dev/null; do
	sleep 0.1
done
kill -9 "$(pgrep -n -x aslant)" # its guard is older
wait $!
code=$?
[ $code = 5 ] || fail "a rank was killed: exit code $code, expected 5"
says '^aslant: rank 0 (pid [0-9]* on node0) was killed by signal 9'
[ "$(grep -c '; the job ends$' err)" = 1 ] || fail "more than a line: $(cat err)"
[ -z "$(ls /pm | grep pool)" ] || fail "left $(ls /pm)"

touch "$LAB/over"
exit $failed
