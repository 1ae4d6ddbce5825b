#!/bin/bash
# lab_slurm.sh -- scripts/submit on a Slurm of two hosts with persistent memory
#
# Two guests with soft-RoCE, and each with a DAX file system: a suite of all
# families, whose ranks lie on both hosts, their pools on fsdax, and whose messages
# go over verbs.  ASLANT_TEST_CASES=all submits some of `quick`, too.
set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab/lab.sh"
# shellcheck source=tests/help/slurm.sh
. "$(dirname "$0")/help/slurm.sh"
lab_dimms=1
lab_enter "$0" 2 3600

# One Slurm, of which each host has a part: slurm.sh asks for its addresses.
SLURM=/run/slurm
slurm_network() {
	controller=10.9.0.10
}

slurm_node() {
	echo "NodeName=n$1 NodeAddr=10.9.0.1$(($1 - 1)) NodeHostname=node$(($1 - 1))"
}

why=$(slurm_missing)
if [ -n "$why" ]; then
	echo "lab_slurm: skipped, no Slurm can be started:" $why
	exit 77
fi
modprobe -a rdma_rxe rdma_ucm ib_uverbs
rdma link add rxe0 type rxe netdev eth0 || fail "no soft-RoCE"
lab_fsdax 0 ext4 /pm || fail "no DAX file system"
export UCX_TLS=tcp,self,sm SLURM_CONF=$SLURM/slurm.conf
mkdir -p $SLURM/state $SLURM/spool-n1 $SLURM/spool-n2
# There is no systemd: slurmd is content with an empty tree of version 1.
mount -t tmpfs cgroup /sys/fs/cgroup
echo CgroupPlugin=cgroup/v1 >$SLURM/cgroup.conf

# ---- The second host ----

if [ "$LAB_NODE" = 1 ]; then
	until [ -e "$LAB/key" ]; do sleep 0.1; done
	cp "$LAB/slurm.conf" "$LAB/key" $SLURM
	chmod 600 $SLURM/key
	slurm_munge
	slurm_daemon n2 slurmd -D -N n2
	until [ -e "$LAB/over" ]; do sleep 0.1; done
	slurm_stop
	exit $lab_failed
fi

# ---- The first, which has the controller ----

slurm_configure
(umask 077 && head -c 1024 /dev/urandom >$SLURM/key)
cp $SLURM/slurm.conf $SLURM/key "$LAB"
slurm_munge
slurm_daemon slurmctld slurmctld -D
slurm_daemon n1 slurmd -D -N n1
slurm_idle 60 || fail "Slurm does not start: $(tail -n 5 $SLURM/*.log)"
mkdir "$LAB/work" && cd "$LAB/work" || exit 1

# submits SUITE OPTION...: a job of two hosts, until it has ended
submits() {
	local job state

	"$(dirname "$lab_source")/../scripts/submit" "$1" --aslant "$aslant" \
		--nodes 2 --ranks-per-node 2 --nvm-dir /pm --out out "${@:2}" \
		>said 2>&1 || fail "submit $*: $(cat said)"
	job=$(sed -n 's/^Submitted batch job //p' said)
	until state=$(scontrol show job "${job:-0}") &&
		! grep -qE 'JobState=(PENDING|RUNNING|COMPLETING)' <<<"$state"; do
		[ -n "$job" ] || return
		sleep 0.5
	done
	grep -q "JobState=COMPLETED .*" <<<"$state" || fail "$state"
}

# checks CASES: each row
checks() {
	python3 - "$1" <<'PYTHON' || fail "not as it should be: $(tail out.log)"
import csv, json, sys
runs = list(csv.DictReader(open("out/runs.csv")))
assert len(runs) == int(sys.argv[1]), len(runs)
for r in runs:
    found = [r[c] for c in ("verified", "predicted_equal", "medium", "transport",
                            "provider")]
    assert found == ["1", "1", "fsdax", "ofi", "verbs;ofi_rxm"], (
        r["algorithm"], found)
step = json.load(open("out/machine.json"))["environment"]
assert step["SLURM_STEP_NUM_NODES"] == "2", step
PYTHON
	rm -rf out out.log
	[ -z "$(find /pm -name '*.pool')" ] || fail "left $(ls /pm)"
}

cat >small.json <<'JSON'
{"options": {"ranks": 4},
 "cases": [{"n": 24, "algorithm": ["em-jomma", "3d", "sttsv"]},
	   {"algorithm": "einsum", "spec": "ijk,kl->ijl",
	    "dims": "i=6,j=5,k=4,l=7"},
	   {"n": 24, "algorithm": "ooc-auto", "memory-budget": "4KiB"}]}
JSON
submits ./small.json
checks 5
if [ "${ASLANT_TEST_CASES-}" = all ]; then
	# Products of 2048 x 2048 matrices take emulated processors hours.
	submits quick -- --reps 1 --warmup 0 --only eigenvector --only MTTKRP
	checks 3
fi

touch "$LAB/over"
slurm_stop
exit $lab_failed
