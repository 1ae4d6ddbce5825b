#!/bin/bash
# command_suite.sh -- aslant suite: what is refused, what is run, what is left
#
# ASLANT is the command, BUILD its build directory.
set -u

aslant=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
	echo "command_suite: $*"
	exit 1
}

# refused PATTERN SUITE ARGUMENTS...: exit code 2, one line, nothing done
refused() {
	local pattern=$1 text=$2 code=0
	shift 2
	echo "$text" >bad.json
	timeout 20 "$aslant" suite bad.json --csv rows.csv "$@" >out 2>err \
		</dev/null || code=$?
	[ $code = 2 ] || fail "$text $*: exit code $code, expected 2: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || fail "$text $*: not one line: $(cat err)"
	grep -q "^aslant: .*$pattern" err ||
		fail "$text $*: expected '$pattern': $(cat err)"
	[ ! -s out ] || fail "$text $*: something on stdout"
	[ ! -e rows.csv ] || fail "$text $*: rows were written"
}

# ---- Files that are no suites ----

one='{"algorithm": "vomm", "n": 10}'
refused "bad.json: line 1: " '{"cases": [}'
refused "bad.json: line 1: duplicate" '{"cases": [], "cases": []}'
refused "bad.json: line" ''
refused "bad.json: expected one JSON object" '[1]'
refused "bad.json: 'cases' is missing" '{}'
refused "bad.json: cases: the list is empty" '{"cases": []}'
refused "bad.json: cases: found 3, expected a list" '{"cases": 3}'
refused "bad.json: cases: found 3, expected a list of objects" '{"cases": [3]}'
refused "bad.json: options: found 3, expected an object" \
	"{\"options\": 3, \"cases\": [$one]}"
refused "bad.json: about: found 3, expected a text" \
	"{\"about\": 3, \"cases\": [$one]}"
refused "bad.json: unknown key 'case'" '{"case": []}'
refused "bad.json: calibrate: found 3, expected true" \
	"{\"calibrate\": 3, \"cases\": [$one]}"

# ---- Cases ----

# bad PATTERN CASE ARGUMENTS...: as the second case of three
bad() {
	local pattern=$1 text=$2
	shift 2
	refused "bad.json: case 2$pattern" \
		"{\"cases\": [$one, $text, $one]}" "$@"
}

bad ": unknown option 'foo'" '{"algorithm": "vomm", "foo": 1}'
bad ": unknown option 'top'" '{"algorithm": "vomm", "top": 1}'
bad ": unknown option 'dry-run'" '{"algorithm": "vomm", "dry-run": true}'
for key in launch transport provider csv out help; do
	bad ": '$key' belongs on the command line" "{\"$key\": \"x\"}"
done
bad ": 'algorithm' is missing" '{"n": 10}'
bad ": algorithm: found 3, expected a text" '{"algorithm": 3, "n": 10}'
bad ": unknown algorithm 'foo'" '{"algorithm": "foo", "n": 10}'
bad ", 'b': --n: found '0'" '{"label": "b", "algorithm": "vomm", "n": 0}'
bad ": --n: found '-5'" '{"algorithm": "vomm", "n": -5}'
bad ": --n: found '1.5'" '{"algorithm": "vomm", "n": 1.5}'
bad ": --n: found '0'" '{"algorithm": "vomm", "n": [10, 0]}'
bad ": n: found true, expected a number" '{"algorithm": "vomm", "n": true}'
bad ": n: found null, expected a number" '{"algorithm": "vomm", "n": null}'
bad ": n: found \\[1\\], expected a number" '{"algorithm": "vomm", "n": [[1]]}'
bad ": n: the list is empty" '{"algorithm": "vomm", "n": []}'
for range in '"from": 1' '"from": 1, "to": 0, "by": 1' \
	'"from": 1, "to": 3, "by": 0' '"from": 0, "to": 3, "times": 2' \
	'"from": 1, "to": 3, "times": 1' '"from": 1, "to": 3, "by": "x"' \
	'"from": 1, "to": 3, "by": 1, "times": 2'; do
	bad ": n: found {.*}, expected {\"from\": LEAST" \
		"{\"algorithm\": \"vomm\", \"n\": {$range}}"
done
bad ": more than 100000 cases in one" \
	'{"algorithm": "vomm", "n": {"from": 1, "to": 100001, "by": 1}}'
bad ": kernel: found 3, expected a text" '{"algorithm": "vomm", "kernel": 3}'
bad ": --kernel: found 'x', expected" '{"algorithm": "vomm", "kernel": "x"}'
bad ": keep: found 1, expected true or false" '{"algorithm": "vomm", "keep": 1}'
bad ": label: found \"\", expected a text" '{"label": "", "algorithm": "vomm"}'
bad ", '???': label: found .*, expected no control" \
	'{"label": "\u001b\u009b", "algorithm": "vomm", "n": 1}'
bad ": .*size is missing" '{"algorithm": "vomm"}'
bad ": --grid: found 2x2x1" \
	'{"algorithm": "3d", "n": 9, "ranks": 3, "grid": "2x2x1"}'
bad ": --verify: --store null" \
	'{"algorithm": "vomm", "n": 9, "verify": "oracle"}' --store null
thousand=$(seq -s, 1000)
bad ": more than 100000 cases" \
	"{\"algorithm\": \"vomm\", \"n\": [$thousand], \"k\": [$thousand]}"
refused "case 1: unknown option 'foo'" \
	"{\"options\": {\"foo\": 1}, \"cases\": [$one]}"
refused "launch: this suite takes several jobs, and --out to collect" \
	'{"cases": [{"algorithm": "3d", "n": 9, "ranks": [2]},
	{"algorithm": "3d", "n": 9, "ranks": 3}]}' --launch
refused "case 1: --result: found c.npy, which another" \
	'{"cases": [{"algorithm": "vomm", "n": [9, 10], "result": "c.npy"}]}'
refused "unknown option '--result'" "{\"cases\": [$one]}" --result c.npy
refused "unexpected argument 'x'" "{\"cases\": [$one]}" x
refused "--csv: found ./bad.json, which is the suite" "{\"cases\": [$one]}" \
	--csv ./bad.json

# ---- No such suite ----

for name in nothing ./nothing.json "" . ../suites/fig5; do
	code=0
	"$aslant" suite "$name" >out 2>err || code=$?
	{ [ $code = 2 ] && [ ! -s out ] &&
		grep -q "neither a suite .* nor a readable file" err; } ||
		fail "suite '$name': exit code $code: $(cat err)"
done
"$aslant" suite 2>err && fail "suite without a name"
grep -q "which suite" err || fail "suite without a name says $(cat err)"

# A budget that no grid fits into is the machine's fault, not the file's.
echo '{"cases": [{"algorithm": "3d", "n": 99, "memory-budget": 9}]}' >little.json
"$aslant" suite little.json 2>err
[ $? = 3 ] || fail "too little memory ends with $?, expected 3"

# ---- A good one ----

cat >good.json <<'JSON'
{"about": "small",
 "options": {"cache": 300, "memory": "8KiB", "ranks": 4, "reps": 2,
	     "write-cost": [2, 0.5], "entries": "exact", "verify": "oracle"},
 "cases": [
	{"label": "odd", "n": [31, 45], "algorithm": ["3d", "jomma"], "reps": 1},
	{"write-cost": 4, "m": 20, "n": 30, "k": "40", "algorithm": "em-jomma",
	 "store": "dram", "memory-budget": "1m", "grid": "2x1x2", "keep": false}
 ]}
JSON

# The columns that say which case a row is of.
which() {
	awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) at[$i] = i
		next
	}
	{ print $at["w"], $at["n"], $at["algorithm"], $at["rep"],
		$at["store"], $at["grid"], $at["verified"],
		$at["predicted_equal"], $at["q_apm_max"] }' "$1"
}

"$aslant" suite good.json --dry-run >plan || fail "--dry-run ends with $?"
[ "$(wc -l <plan)" = 10 ] || fail "--dry-run prints $(cat plan)"
"$aslant" suite good.json --csv sim.csv >out 2>err ||
	fail "on sim: exit code $?: $(cat err)"
which sim.csv >sim
# First keys' lists change slowest, those of the options first.
cut -d' ' -f1-4 sim >order
cat >expected <<'ROWS'
2 31 3d 0
2 31 jomma 0
2 45 3d 0
2 45 jomma 0
0.5 31 3d 0
0.5 31 jomma 0
0.5 45 3d 0
0.5 45 jomma 0
4 30 em-jomma 0
4 30 em-jomma 1
ROWS
diff expected order || fail "the cases are not in that order"
grep -vq ' 1 1 [0-9.e+]*$' sim && fail "not all are verified: $(cat sim)"
[ "$(grep -c verified out)" = 9 ] || fail "not a line a case: $(cat out)"
grep -q ' 9/9 .*20x30x40 ' out || fail "the last line is not: $(cat out)"
paste -d' ' <(awk 'NR > 1 { print $2, $4, $6 + 0, $7 }' plan) \
	<(awk '$4 == 0 { split($6, p, "x"); print $9 + 0, $3, $2 }' sim) |
	awk '$1 != $6 || $3 + 0 == 0 { bad = 1 } END { exit bad }' ||
	fail "--dry-run has other cases: $(cat plan)"

"$aslant" suite good.json --launch --csv - >ofi.csv 2>err ||
	fail "on ofi: exit code $?: $(cat err)"
which ofi.csv >ofi
diff sim ofi || fail "ofi counts otherwise than sim"
[ "$(grep -c verified err)" = 9 ] || fail "progress is not on stderr: $(cat err)"
[ "$(cut -d, -f2 ofi.csv | sort -u | wc -l)" = 10 ] || # and the heading
	fail "not a run_id a case"
mpiexec.mpich -n 4 "$aslant" suite good.json --transport mpi --reps 1 \
	--csv mpi.csv >out 2>err || fail "on mpi: exit code $?: $(cat err)"
which mpi.csv >mpi
diff <(head -9 sim) mpi || fail "mpi counts otherwise than sim"
mpiexec.mpich -n 3 "$aslant" suite good.json >out 2>err &&
	fail "4 ranks in a job of 3"
grep -q "good.json: case 1, 'odd': --ranks: found 4, .* 3 ranks" err ||
	fail "4 ranks in a job of 3: $(cat err)"

# Ranges are lists: the last is met, or not passed; decimals are as written.
cat >range.json <<'JSON'
{"options": {"write-cost": {"from": 0.1, "to": 0.3, "by": 0.1}},
 "cases": [{"algorithm": "vomm", "n": {"from": 3, "to": 96, "times": 2}},
	   {"algorithm": "vomm", "n": {"from": 10, "to": 39, "by": 10},
	    "write-cost": {"from": 1.5, "to": 1.5, "times": 3}}]}
JSON
"$aslant" suite range.json --store null --csv range.csv >out 2>err ||
	fail "ranges end with $?: $(cat err)"
{
	for w in 0.1 0.2 0.3; do
		for n in 3 6 12 24 48 96; do
			echo "$w $n vomm 0"
		done
	done
	printf '1.5 %d vomm 0\n' 10 20 30
} >expected
which range.csv | cut -d' ' -f1-4 | diff expected - || fail "ranges are others"

# The command line has the last word, in every case.
"$aslant" suite good.json --store null --verify none --reps 1 --grid 4x1x1 \
	--write-cost 7 --out dir >out 2>err || fail "--out: $?: $(cat err)"
[ "$(echo dir/*)" = \
	"dir/cases.csv dir/machine.json dir/ranks.csv dir/runs.csv dir/topology.xml" ] ||
	fail "--out has $(ls dir)"
which dir/runs.csv >null
[ "$(wc -l <null)" = 9 ] || fail "--out has $(cat null)"
grep -v '^7 .* null 4x1x1 ' null && fail "the command line has no last word"
python3 -c '
import json
machine = json.load(open("dir/machine.json"))
assert "algorithm" not in machine and "suite" in machine["command_line"]
' || fail "machine.json"

# On sim the number of ranks may change, and with it the net.
echo '{"cases": [{"algorithm": "3d", "n": 20, "ranks": [8, 27, 27],
	"store": ["dram", "null"], "verify": "none"}]}' >ranks.json
"$aslant" suite ranks.json >out 2>err || fail "ranks: $?: $(cat err)"
[ "$(grep -c '  *3d .* 2x2x2 .*Q\|  *3d .* 3x3x3 .*Q' out)" = 6 ] ||
	fail "ranks: $(cat out)"

# ---- What is complete stays ----

cat >late.json <<'JSON'
{"options": {"ranks": 2, "n": 20, "algorithm": "3d"},
 "cases": [{}, {}, {"nvm-dir": "/nowhere"}, {}]}
JSON
for launch in "" --launch; do
	echo old >late.csv
	"$aslant" suite late.json $launch --csv late.csv --out late$launch \
		>out 2>err
	[ $? = 3 ] || fail "a late failure $launch ends with $?: $(cat err)"
	grep -q /nowhere err || fail "a late failure $launch: $(cat err)"
	grep -q "late.json: case 3: ends the suite, 2 of 4" err ||
		fail "a late failure $launch: $(cat err)"
	[ "$(grep -c ',3d,' late.csv)" = 2 ] ||
		fail "a late failure $launch leaves $(cat late.csv)"
	cmp late.csv "late$launch/runs.csv" || fail "--csv and --out differ"
done
echo old >kept.csv
sed -i 's/{}, {}, //' late.json
"$aslant" suite late.json --csv kept.csv --out kept >out 2>err
[ $? = 3 ] && [ "$(cat kept.csv)" = old ] && [ ! -e kept ] ||
	fail "a suite that did nothing leaves $(cat kept.csv; ls)"

# ---- The suites that come with aslant ----

"$aslant" list suites >out || fail "list suites ends with $?"
grep -q '^fig5 ' out || fail "list suites: $(cat out)"
cmake --install "${BUILD:?}" --prefix "$work/installed" >out 2>&1 ||
	fail "install: $(cat out)"
"$work/installed/bin/aslant" suite fig5 --dry-run >out || fail "installed: $?"
"$aslant" suite fig5 --dry-run >plan || fail "fig5 --dry-run ends with $?"
cmp out plan || fail "installed, fig5 is another suite"
for suite in quick procurement sttsv contractions-timed; do
	grep -q "^$suite " <("$aslant" list suites) || fail "$suite is not listed"
	"$aslant" suite $suite --store null --reps 1 --warmup 0 \
		--csv $suite.csv >out 2>err ||
		fail "$suite, counted only, ends with $?: $(cat err)"
done
