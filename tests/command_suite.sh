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
# Seconds are those of the runs' predictions, and no more than a few are followed.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { printf "%.4g\n", $at["predicted_s"] }' sim.csv | uniq >expected
awk 'NR > 1 { print $9 }' plan | uniq >seconds
[ -s expected ] || fail "no seconds are predicted"
diff expected seconds || fail "--dry-run has other seconds than the runs"
"$aslant" suite good.json --dry-run --ranks 600 --grid 5x10x12 >many 2>&1 ||
	fail "600 ranks: $(cat many)"
awk 'NR > 1 && $9 != "-" { bad = 1 } END { exit bad }' many ||
	fail "seconds of 600 ranks: $(cat many)"

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
# ---- Costs of r, and a profile on the command line ----

cat >ratios.json <<'JSON'
{"cases": [{"write-cost": ["1r", "4r", 4], "net-cost": "2r", "algorithm": "3d",
	    "n": 30, "ranks": 4}]}
JSON
# costs ARGUMENTS...: w and beta over r
costs() {
	"$aslant" suite ratios.json --store null --csv ratios.csv "$@" >out 2>err ||
		fail "ratios with $* end with $?: $(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%.5g %.5g; ", $at["w"] / $at["r"], $at["beta"] / $at["r"] }' \
		ratios.csv
}
found=$(costs)
[ "$found" = "1 2; 4 2; 4 2; " ] || fail "ratios are $found"
found=$(costs --profile optane-100-nt)
own=$("$aslant" run 3d --n 30 --ranks 4 --store null --profile optane-100-nt --csv - |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%.5g", $at["w"] / $at["r"] }')
[ "$found" = "1 2; 4 2; $own 2; " ] ||
	fail "a profile does not beat the suite's costs: $found, expected $own"
found=$(costs --profile optane-100-nt --write-cost 8r)
[ "$found" = "8 2; 8 2; 8 2; " ] || fail "the command line's ratio: $found"

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

# ---- Labels ----

cat >labels.json <<'JSON'
{"options": {"ranks": 2, "algorithm": "3d", "reps": 2},
 "cases": [{"label": "w {write-cost}, {algorithm} {none}", "n": 8, "write-cost": ["1r", 4]},
	   {"label": "small", "n": [9, 10]}, {"n": 11}]}
JSON
"$aslant" suite labels.json --list >out || fail "--list ends with $?"
printf '   1  w 1r, 3d {none}\n   1  w 4, 3d {none}\n   2  small\n   1  \n' |
	diff - out || fail "--list prints $(cat out)"
# sums ARGUMENTS...: the n of all cases that are run
sizes_of() {
	"$aslant" suite labels.json --store dram --out labels "$@" >out 2>err ||
		fail "labels.json $* ends with $?: $(cat err)"
	python3 -c 'import csv
print(*(x["n"] + x["label"][:3] for x in csv.DictReader(open("labels/runs.csv"))
        if x["rep"] == "0"))'
}
[ "$(sizes_of --only 'w 4*')" = "8w 4" ] || fail "--only: $(cat labels/runs.csv)"
grep -q '^1 of 5 cases are complete in labels.$' out || fail "no summary: $(cat out)"
[ "$(sizes_of --exclude 'w *' --exclude none)" = "8w 4 9sma 10sma 11" ] ||
	fail "--exclude, continued: $(cat labels/runs.csv)"
[ "$(sizes_of)" = "8w 4 9sma 10sma 11 8w 1" ] || fail "all: $(cat labels/runs.csv)"
grep -q '^5 of 5 cases are complete in labels.$' out || fail "no summary: $(cat out)"
grep -q '^aslant report labels writes the page' out || fail "no next command: $(cat out)"
[ "$(sed -n '/algorithm.*median.*label/p' out | wc -l)" = 1 ] || fail "no heading: $(cat out)"
# On a terminal no line is longer than that, also of ranks that are launched.
for columns in 80 100 200; do
	script -qec "stty cols $columns; '$aslant' suite quick --scale 2:0.01 --only 'e*' --launch" \
		/dev/null </dev/null 2>/dev/null | tr '\r' '\n' | sed 's/\x1b\[[0-9;]*[mK]//g' >shown
	grep -q '^7 cases left, about ' shown || fail "$columns columns: no time left: $(cat shown)"
	awk -v most=$columns 'length > most && !/^aslant:/ { exit 1 }' shown ||
		fail "$columns columns: $(cat shown)"
	[ "$(grep -c '^ *[0-9]*/[0-9]* .*verified' shown)" = 10 ] || fail "$columns: $(cat shown)"
done

"$aslant" suite labels.json --only nothing --out deep/er/labels >out 2>err
[ $? = 2 ] && grep -q 'no case is left' err || fail "--only nothing: $(cat err)"

# ---- Sizes of the machine ----

cat >scale.json <<'JSON'
{"scale": "machine",
 "options": {"cache": 400, "memory": "1MiB", "reps": 3},
 "cases": [{"label": "strong", "algorithm": ["3d", "fused"], "n": 64, "ranks": [1, 2, 4]},
	   {"label": "weak", "algorithm": "3d", "n": [64], "ranks": 1},
	   {"label": "weak", "algorithm": "3d", "n": [80], "ranks": 2},
	   {"label": "price", "algorithm": "3d", "n": [64, 80], "ranks": 4,
	    "write-cost": ["1r", "4r"], "memory-budget": 9000},
	   {"algorithm": "sttsv", "n": 64, "ranks": 4, "steiner": "cubic"},
	   {"algorithm": "einsum", "spec": "ijk,kl,jl->il", "ranks": 4,
	    "dims": "i=64,j=64,k=64,l=8"}]}
JSON
# sizes ARGUMENTS...: ranks, n or dims of all cases, of suites that only count
sizes() {
	rm -rf scaled
	"$aslant" suite scale.json --store null --reps 1 --out scaled "$@" >out 2>err ||
		fail "scale.json $* ends with $?: $(cat err)"
	python3 -c 'import csv
print(*(x["ranks"] + ":" + (x["dims"] or x["n"])
        for x in csv.DictReader(open("scaled/runs.csv"))))'
}
expected="1:64 2:64 4:64 1:64 2:64 4:64 1:64 2:80 4:64 4:64 4:80 4:80 4:64 4:i=64,j=64,k=64,l=8"
[ "$(sizes --scale file)" = "$expected" ] || fail "--scale file: $(sizes --scale file)"
[ "$(sizes --scale 4:1)" = "$expected" ] || fail "--scale 4:1: $(sizes --scale 4:1)"
expected="2:128 4:128 8:128 2:128 4:128 8:128 2:128 4:160 8:128 8:128 8:160 8:160 8:102 8:i=102,j=102,k=102,l=8"
[ "$(sizes --scale 8:4)" = "$expected" ] || fail "--scale 8:4: $(sizes --scale 8:4)"
# Numbers of ranks that become one are one case, the largest; prices stay.
expected="1:64 1:64 1:80 1:64 1:64 1:80 1:80 1:64 1:i=64,j=64,k=64,l=8"
[ "$(sizes --scale 1:1)" = "$expected" ] || fail "--scale 1:1: $(sizes --scale 1:1)"
# The command line has the last word; M and S are the machine's.
[[ " $(sizes --scale 8:4 --ranks 2 --exclude price)" =~ ^( 2:[^ ]*){5}$ ]] ||
	fail "--ranks is scaled"
found=$(sizes)
note=$(sed -n 's/.*up to \([0-9]*\) ranks*, .*(--scale \([0-9.:e+-]*\)), .*/\1 \2/p' err)
[ "${note%% *}" = "$(nproc)" ] || fail "--scale machine says $(cat err)"
[ "$found" = "$(sizes --scale "${note#* }")" ] || fail "--scale ${note#* } is not --scale machine"
[ -n "$note" ] && [[ "$found " != *":64 "* ]] || fail "--scale machine: $found"
# Less time, smaller sizes; with data a second is enough for no machine's cache.
for budget in 4s 30m; do
	"$aslant" suite scale.json --dry-run --time-budget $budget --store dram >out 2>err ||
		fail "--time-budget $budget: $(cat err)"
	sed -n 's/.* \([0-9.e+-]*\) times the words.*/\1/p' err
done >factors
python3 -c 'a, b = map(float, open("factors")); assert 0 < a < b, (a, b)' ||
	fail "factors are $(cat factors)"
for bad in "--scale huge" "--scale 0:1" "--scale 2:0" "--time-budget 3" "--time-budget m"; do
	# shellcheck disable=SC2086
	"$aslant" suite scale.json $bad --dry-run >out 2>err
	[ $? = 2 ] && grep -q "^aslant: ${bad% *}: found" err || fail "$bad: $(cat err)"
done

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
# reference_counts runs them.
for suite in quick procurement sttsv contractions-timed; do
	grep -q "^$suite " <("$aslant" list suites) || fail "$suite is not listed"
done
