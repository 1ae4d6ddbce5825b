#!/bin/bash
# batch_slurm.sh -- scripts/submit on a real Slurm: two nodes, a preempted suite
#
# ASLANT is the command.  Skipped (77) where there can be no Slurm.
set -u

. "$(dirname "$0")/help/slurm.sh"
submit=$(realpath "$(dirname "$0")/../scripts/submit")

why=$(slurm_missing)
if [ -n "$why" ]; then
	echo "batch_slurm: skipped, no Slurm can be started:" $why
	exit 77
fi
slurm_isolate "$0"

work=$(mktemp -d)
# shellcheck disable=SC2034 # slurm.sh lives there
SLURM=$work/slurm
trap 'slurm_stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

fail() {
	echo "batch_slurm: $*"
	tail -n 20 ./*.log
	exit 1
}

if ! slurm_start; then
	echo "batch_slurm: skipped, Slurm does not start"
	exit 77
fi

submit() {
	"$submit" "$@" --aslant "${ASLANT:?}" --nodes 2 --ranks-per-node 3 \
		--time 0:05:00 >said 2>&1 || fail "submit $*: $(cat said)"
	job=$(sed -n 's/^Submitted batch job //p' said)
}

# until_true SECONDS COMMAND...
until_true() {
	local turns=$(($1 * 10))
	shift
	until "$@"; do
		[ $((turns--)) -gt 0 ] || fail "waited too long for: $*"
		sleep 0.1
	done
}

ended() {
	[ -z "$(squeue -h -j "$job" -o %i 2>/dev/null)" ] ||
		squeue -h -j "$job" -t all -o %T | grep -qE 'COMPLETED|FAILED|CANCEL'
}

# Did the job end with that exit code?
ended_with() {
	until_true 60 ended
	scontrol show job "$job" | grep -q "ExitCode=$1:0" ||
		fail "$(scontrol show job "$job")"
}

# How many cases of DIR are finished?
finished() {
	local lines=0
	[ ! -e "$1/cases.csv" ] || lines=$(grep -c . "$1/cases.csv")
	[ "$lines" -gt "$2" ]
}

preempted() {
	scontrol show job "$job" >state
	grep -q JobState=PENDING state && grep -q Restarts=1 state
}

# check DIR CASES REPETITIONS: each once, of all ranks, and all is well
check() {
	local file

	for file in runs.csv ranks.csv machine.json topology.xml; do
		[ -s "$1/$file" ] || fail "no $file in $1: $(ls "$1")"
	done
	python3 - "$@" "$provider" <<-'PYTHON' || fail "$1 is not as it should be"
		import csv, json, sys
		out, cases, reps, provider = sys.argv[1:]
		runs = list(csv.DictReader(open(out + "/runs.csv")))
		which = {(r["algorithm"], r["w"], r["ranks"], r["rep"]) for r in runs}
		assert len(runs) == len(which) == int(cases) * int(reps), (
		    len(runs), len(which))
		seen = {(r["run_id"], r["rep"], r["rank"])
		        for r in csv.DictReader(open(out + "/ranks.csv"))}
		for r in runs:
		    assert r["verified"] == r["predicted_equal"] == "1", r
		    assert r["transport"] == "ofi", r
		    assert int(r["ranks"]) < 2 or r["provider"] == provider, r
		    for rank in range(int(r["ranks"])):
		        seen.remove((r["run_id"], r["rep"], str(rank)))
		assert not seen, seen
		step = json.load(open(out + "/machine.json"))["environment"]
		assert step["SLURM_STEP_NUM_NODES"] == "2", step
	PYTHON
}

# What words between the two nodes go over: addresses, or one host's memory.
provider=shm
[ -z "${NODES_ISOLATED:-}" ] || provider=net

# ---- From the first case to the last ----

cat >small.json <<'JSON'
{"options": {"n": 60, "cache": 3000, "memory": "8MiB", "reps": 2},
 "cases": [{"ranks": 6, "algorithm": ["3d", "em-jomma", "sttsv"]},
	   {"ranks": 2, "algorithm": ["3d", "cuts"]}]}
JSON
submit ./small.json --out small
ended_with 0
check small 5 2

# ---- Stopped by a notice, then preempted ----

cat >long.json <<'JSON'
{"options": {"n": 96, "cache": 3000, "memory": "8MiB", "reps": 12},
 "cases": [{"ranks": 6, "write-cost": {"from": 1, "to": 8, "by": 1},
	    "algorithm": ["3d", "em-jomma"]}]}
JSON
submit ./long.json --out long
until_true 30 finished long 2
# As --signal=B:TERM does before the time is up: the script alone has it.
scancel --batch --signal=TERM "$job"
ended_with 143
grep -q "stopped by SIGTERM" long.log || fail "no word of a stop"
finished long 15 && fail "nothing was left to continue"

submit ./long.json --out long
grep -c . long/cases.csv >before
until_true 30 finished long $(($(cat before) + 1))
srun --partition=urgent --nodes=2 true || fail "nothing is urgent"
finished long 15 && fail "nothing was left to preempt"
until_true 30 preempted
# Slurm lets two minutes pass; in the second in which a job was ended its nodes
# would take it for the one that was.
scontrol update JobId="$job" StartTime=now+3seconds
ended_with 0
[ "$(grep -c "stopped by SIGTERM" long.log)" = 2 ] || fail "killed, not stopped"
check long 16 12
echo "batch_slurm: two jobs over $provider, and a third stopped and preempted"
