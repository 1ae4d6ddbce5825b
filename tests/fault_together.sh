#!/bin/bash
# fault_together.sh -- two at once in one place: both are right, or one is refused
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
echo '{"cases": [{"label": "a", "algorithm": "vomm", "n": [9, 10], "store": "dram",
	"reps": 30}]}' >suite.json

# at_once COUNT ARGUMENTS...: exit codes to `codes`, a line each
at_once() {
	local count=$1 i
	shift
	: >codes
	for ((i = 0; i < count; i++)); do
		{
			timeout 60 "$aslant" "$@" >"said/$i.out" 2>"said/$i.err"
			echo $? >>codes
		} &
	done
	wait
}

# ---- Pools ----

mkdir pools
at_once 6 run em-jomma --n 60 --ranks 4 --nvm-dir pools
[ "$(sort -u codes)" = 0 ] || fail "one pool directory: $(cat codes said/*.err)"
[ -z "$(ls pools)" ] || fail "one pool directory: left $(ls pools)"
at_once 4 run em-jomma --n 60 --ranks 4 --nvm-dir pools --keep
[ "$(sort -u codes)" = 0 ] || fail "kept pools: $(cat codes said/*.err)"
[ "$(find pools -name '*.pool' | wc -l)" = 16 ] || fail "kept: $(ls pools)"

# ---- Results ----

for i in 1 2 3; do
	at_once 6 run vomm --n 30 --store dram --reps 20 --out "dir$i"
	[ "$(grep -c '^0$' codes)" = 1 ] && [ "$(grep -c '^2$' codes)" = 5 ] ||
		fail "one --out: exit codes $(tr '\n' ' ' <codes)"
	[ "$(grep -hc 'another run or suite is at work in\|is not empty' said/*.err |
		paste -sd+ | bc)" = 5 ] || fail "one --out: $(cat said/*.err)"
	[ "$(wc -l <"dir$i/runs.csv")" = 21 ] || fail "one --out: other rows"
	[ "$(cut -d, -f2 "dir$i/runs.csv" | sort -u | wc -l)" = 2 ] ||
		fail "one --out: rows of two runs"
	[ "$(find "dir$i" -type f | wc -l)" = 4 ] || fail "left $(ls "dir$i")"
	at_once 4 suite suite.json --out "suite$i"
	expect 0 suite suite.json --out "suite$i"
	[ "$(wc -l <"suite$i/runs.csv")" = 61 ] || fail "one suite: other rows"
done
mkdir locked
code=2
flock locked "$aslant" run vomm --n 9 --store dram --out locked 2>err
[ $? = 2 ] || fail "a directory at which another is at work is taken"
says '^aslant: --out: another run or suite is at work in locked' err
flock locked "$aslant" suite suite.json --out locked 2>err
[ $? = 2 ] || fail "a directory at which another is at work is taken by a suite"
expect 0 run vomm --n 9 --store dram --out locked

at_once 6 run vomm --n 30 --store dram --reps 9 --csv a.csv --result c.npy
[ "$(sort -u codes)" = 0 ] || fail "one file: $(cat codes said/*.err)"
[ "$(wc -l <a.csv)" = 10 ] || fail "one --csv: $(wc -l <a.csv) lines"
[ "$(cut -d, -f2 a.csv | sort -u | wc -l)" = 2 ] || fail "one --csv: of two runs"
[ "$(wc -c <c.npy)" = 7328 ] || fail "one --result: $(wc -c <c.npy) bytes"
[ -z "$(find . -name 'a.csv.*' -o -name 'c.npy.*')" ] || fail "left $(ls)"

[ ! -e failed ]
