#!/bin/bash
# command_pools.sh -- pools in several directories: evenly, found again, counted once
#
# Directories of this machine are equally near, so that ranks share them evenly;
# machine_near has those that are not.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/help/command.sh"

mkdir a b c
all=$work/a,$work/b,$work/c

# pools DIR: how many lie there
pools() {
	find "$1" -name '*.pool' | wc -l
}

# ---- Evenly, in every way to start ranks ----

evenly() {
	[ "$(pools a) $(pools b) $(pools c)" = "$1" ] ||
		fail "$2: pools in a, b, c: $(pools a) $(pools b) $(pools c)"
	rm -f [abc]/*.pool
}
case=(run em-jomma --n 40 --keep --nvm-dir "$all")
expect 0 "${case[@]}" --ranks 6
evenly "2 2 2" sim
expect 0 "${case[@]}" --ranks 4 --launch --out job
evenly "2 1 1" --launch
ASLANT_NVM_DIR=$work/a,$work/b expect 0 run 3d --n 30 --ranks 2 --keep
evenly "1 1 0" ASLANT_NVM_DIR
echo '{"options": {"n": 20, "algorithm": "3d", "ranks": 3}, "cases": [{}]}' \
	>small.json
expect 0 suite small.json --keep --launch --nvm-dir "$all" --out suite
evenly "1 1 1" suite

# ---- What rows and machine.json say ----

"$python" - <<'PYTHON' || fail "machine.json or rows"
import csv, json, os
x = json.load(open("job/machine.json"))
dirs = [os.path.join(os.getcwd(), d) for d in "abc"]
assert [p["dir"] for p in x["pools"]] == dirs and x["pool"] == x["pools"][0]
row = next(csv.DictReader(open("job/runs.csv")))
ranks = list(csv.DictReader(open("job/ranks.csv")))
nodes = {r["core_node"] for r in ranks} - {""}
assert row["core_nodes"].split() == sorted(nodes, key=int), row["core_nodes"]
assert row["medium"] == x["medium"] == x["pool"]["medium"]
assert row["pool_nodes"].split() == sorted({r["pool_node"] for r in ranks} - {""},
                                           key=int)
far = [int(r["pool_distance"]) for r in ranks if r["pool_distance"]]
assert row["pool_distance_max"] == (str(max(far)) if far else "")
PYTHON

# ---- M is what they can hold, each file system once ----

expect 0 run vomm --n 10 --nvm-dir "$all" --csv run.csv
expect 0 plan --n 10 --nvm-dir "$all" --csv plan.csv
expect 0 plan --n 10 --csv memory.csv
expect 0 run vomm --n 10 --nvm-dir "$all" --memory 5000 --csv row.csv
is memory_words 5000 row.csv
"$python" - <<'PYTHON' || fail "M"
import csv, os
def m(path):
    return int(next(csv.DictReader(open(path)))["memory_words"])
x = os.statvfs("a")
words = x.f_blocks * x.f_frsize // 8
print(words, m("run.csv"), m("plan.csv"), m("memory.csv"))
assert 0 < m("run.csv") <= words
assert m("run.csv") == words or "tmpfs" in open("run.csv").read()
assert m("plan.csv") == m("run.csv") // len(os.sched_getaffinity(0))
assert m("memory.csv") != m("plan.csv")
PYTHON

# ---- An interrupted run finds its pools again ----

mkdir one two
case=(run em-jomma --n 400 --ranks 4 --launch --cache 3k --resume
	--nvm-dir "$work/one,$work/two")
"$aslant" "${case[@]}" >out 2>err &
job=$!
began() {
	[ "$(pools one) $(pools two)" = "2 2" ] || ! kill -0 $job 2>/dev/null
}
until_true 20 began || fail "no pools: $(cat err)"
kill -KILL $job 2>/dev/null
wait $job 2>/dev/null
# Ranks of the first job may take a moment to notice that it is gone.
resumed() {
	timeout 60 "$aslant" "${case[@]}" --csv row.csv >out 2>err && return
	grep -q "another run has" err || fail "resume: $(cat err)"
	return 1
}
until_true 20 resumed || fail "resume: $(cat err)"
is verified 1 row.csv
is predicted_equal 1 row.csv
[ "$(pools one) $(pools two)" = "0 0" ] || fail "pools are left"

# ---- What is refused ----

refuse "places for pools: found nothing beside a comma" run vomm --n 9 \
	--nvm-dir "$work/a,,$work/b"
refuse "found more than 64 places" run vomm --n 9 \
	--nvm-dir "$(printf 'x,%.0s' {1..64})x"
code=3
refuse "$work/none: No such file" run vomm --n 9 --nvm-dir "$work/a,$work/none"
refuse "$work/none: No such file" run vomm --n 9 --ranks 2 --launch \
	--nvm-dir "$work/a,$work/none"
mkdir 'd,e'
expect 0 run vomm --n 9 --nvm-dir "$work/d,e" --keep
[ "$(pools d,e)" = 1 ] || fail "a directory with a comma"
[ ! -e failed ]
