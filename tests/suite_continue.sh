#!/bin/bash
# suite_continue.sh -- a suite that was ended, however, is continued
#
# Killed again and again at random moments, simulated and in processes, and
# started again each time, a suite leaves the rows of one that ran through:
# none lost, none double.  What else a killed process may leave, half a line
# above all, is made by hand.  ASLANT is the command.
set -u
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
ASLANT_NVM_DIR=$(mktemp -d /dev/shm/aslant-test.XXXXXX) # faster than a disk
export ASLANT_NVM_DIR
trap '[ $BASHPID != $$ ] || rm -rf "$work" "$ASLANT_NVM_DIR"' EXIT

cat >suite.json <<'JSON'
{"options": {"cache": 512, "reps": 2, "entries": "exact"},
 "cases": [
	{"label": "a, b", "algorithm": ["3d", "em-jomma", "fused", "cannon"],
	 "n": {"from": 60, "to": 140, "by": 40}, "ranks": 2},
	{"algorithm": "einsum", "spec": "ij,jk->ik", "dims": "i=9,j=8,k=7",
	 "ranks": [2, 3]},
	{"algorithm": "sttsv", "n": 30, "ranks": 3, "steiner": "cubic"}]}
JSON

# rows DIR: what is in its tables, but for names, times, and where and when
rows() {
	"$python" - "$1" <<'PYTHON'
import csv, os, sys
left_out = {*os.environ["measured"].split(), "residual", "medium"}
runs = {}
for name in ("runs", "ranks"):
    for row in csv.DictReader(open(sys.argv[1] + "/" + name + ".csv")):
        if name == "runs":
            runs[row["run_id"]] = runs.get(row["run_id"], 0) + 1
        else:
            assert row["run_id"] in runs, "a run that is only in ranks.csv"
        print(name, *(f"{k}={v}" for k, v in row.items()
                      if k not in left_out and not k.endswith("_s")
                      and not k.startswith("hwc_") and k != "seconds"))
for row in csv.DictReader(open(sys.argv[1] + "/cases.csv")):
    assert runs.pop(row["run_id"]) == 2, row
    print("case", row["case"], row["label"], row["options"], row["code"])
assert not runs, runs
PYTHON
}

# same A B: the same rows, in the same order
same() {
	rows "$1" >"$1.rows" || fail "$1 has other rows than runs"
	rows "$2" >"$2.rows" || fail "$2 has other rows than runs"
	diff "$1.rows" "$2.rows" >difference ||
		fail "$2 is not as $1: $(head -c 600 difference)"
}

# kill_within SECONDS DIR ARGUMENTS...: by SIGKILL, whatever it started, too
kill_within() {
	local most=$1 dir=$2
	shift 2
	setsid "$aslant" suite suite.json --out "$dir" "$@" >out 2>err </dev/null &
	local group=$!
	sleep "$("$python" -c "import random
print(random.uniform(0.02, $most))")"
	kill -KILL -- -$group 2>/dev/null
	pkill -KILL -s $group 2>/dev/null
	wait $group 2>/dev/null
	# Ranks have sessions of their own, and end because the others did.
	[ ! -e "$dir/cases.csv" ] || timeout 30 flock "$dir/cases.csv" true ||
		fail "ranks of a killed suite are at work after 30 s"
	kills=$((kills + 1))
}

# What ran through, simulated: once more it has nothing to do.
expect 0 suite suite.json --out sim
[ "$(wc -l <sim/cases.csv)" = 16 ] || fail "not 15 cases: $(cat sim/cases.csv)"
cp -r sim again
expect 0 suite suite.json --out again
[ ! -s out ] || fail "cases are run again: $(cat out)"
says '15 of 15 cases are in again already' err
cmp sim/runs.csv again/runs.csv || fail "a finished suite is changed"

simulated=2 launched=1
[ "${ASLANT_TEST_CASES-}" != all ] || simulated=5 launched=3
kills=0
while [ $kills -lt $simulated ]; do
	kill_within 1.2 killed
done
expect 0 suite suite.json --out killed
same sim killed
echo "simulated: killed $kills times"

# ---- In processes: jobs of 2 and of 3 ranks, the rows by job ----

expect 0 suite suite.json --out jobs --launch
"$python" - <<'PYTHON' || fail "the cases are not in the order of jobs"
import csv
order = [int(r["case"]) for r in csv.DictReader(open("jobs/cases.csv"))]
assert order == [*range(1, 14), 14, 15], order
PYTHON
kills=0
while [ $kills -lt $launched ]; do
	kill_within 3 torn --launch
done
expect 0 suite suite.json --out torn --launch
same jobs torn
echo "in processes: killed $kills times"

# ---- What a kill may leave, by hand ----

# left WHAT: `cut` as it may be when a suite was killed; it is completed
left() {
	expect 0 suite suite.json --out cut
	same sim cut
	[ "$(ls cut | wc -l)" = 5 ] || fail "$1 leaves $(ls cut)"
	rm -rf cut
}

# take CASES: a directory in which so many are finished
take() {
	cp -r sim cut
	head -$(($1 + 1)) sim/cases.csv >cut/cases.csv
}

take 7
left "rows of unfinished cases"
take 7
printf '1,8,"a' >>cut/cases.csv
left "half a line of cases.csv"
take 15
truncate -s -1 cut/cases.csv
truncate -s -5 cut/runs.csv # of a case that has no whole line
left "half a row of runs.csv"
take 3
echo '<half' >cut/topology.xml.abcdef
left "rows, and a file that was written aside"
take 0
echo '<half' >cut/topology.xml.abcdef
rm cut/runs.csv
left "no case at all"
mkdir cut
: >cut/cases.csv
left "an empty cases.csv"

# ---- What is no continuation ----

cp -r sim short
head -c 900 sim/runs.csv >short/runs.csv
code=2
for other in "sim --reps 3" "sim --seed 2" "sim --transport ofi --ranks 1" \
	"short" "sim --csv suite.json"; do
	# shellcheck disable=SC2086
	expect 2 suite suite.json --out $other
	[ "$(wc -l <err)" = 1 ] || fail "--out $other: not one line: $(cat err)"
done
says 'csv: found suite.json, which is the suite' err
expect 2 suite suite.json --out sim --reps 3
says "sim/cases.csv: case 1: found '3d .* --reps 2 .*', expected '3d .* --reps 3 " err
expect 2 suite suite.json --out short
says 'short/runs.csv: found 900 bytes, expected [0-9]* or more' err
cmp sim/runs.csv again/runs.csv || fail "a refused suite changes rows"
flock again "$aslant" suite suite.json --out again >out 2>err
[ $? = 2 ] || fail "two suites at work in one directory"
says 'another run or suite is at work in again' err
expect 2 run vomm --n 9 --out sim # a single run is not continued

# A failed check is remembered.
take 9
sed -i '5s/,0,\([0-9.e-]*,[0-9]*,[0-9]*\)$/,1,\1/' cut/cases.csv
expect 1 suite suite.json --out cut
rm -rf cut

# ---- SIGTERM ----

# ends ARGUMENTS...: after the repetition that runs, with code 143, no pools left
ends() {
	: >out
	"$aslant" suite suite.json "$@" >out 2>err </dev/null &
	local suite=$!
	until_true 20 test -s out || fail "$*: does not begin"
	kill -TERM $suite
	wait $suite
	local code=$?
	[ $code = 143 ] || fail "$*: SIGTERM ends it with $code: $(cat err)"
	says 'stopped by SIGTERM, [0-9]* of 15 cases .*the same command' err
	[ -z "$(ls "$ASLANT_NVM_DIR")" ] ||
		fail "$*: pools are left: $(ls "$ASLANT_NVM_DIR")"
}

rm -rf "${ASLANT_NVM_DIR:?}"/* # those of what was killed
ends --out stopped --reps 40
[ -s stopped/runs.csv ] || fail "a suite that was stopped leaves $(ls stopped)"
ends --reps 40 --out halted --launch

[ ! -e failed ]
