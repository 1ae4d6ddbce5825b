#!/bin/bash
# command_usage.sh -- what cannot be done is refused: exit code, one line, why
#
# As processes: a command line of each kind (options_refused and files_refused have
# all of them), what needs a stdout that is closed or a file system that is full, and
# jobs, in which one rank speaks.  ASLANT is the command.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# ---- One of each kind ----

code=2
refused "which command"
refused "unknown option '--foo'" run vomm --foo 3
refused "n: found '5K'.*did you mean 5000?" run vomm --n 5K
refused "did you mean quick?" suite quik
refused "did you mean quick?" suite quick.json
refused "unknown option '--line?two'" run vomm $'--line\ntwo'
echo '{"cases": [{"n": 10}]}' >bad.json
refused "bad.json: case 1: 'algorithm' is missing" suite bad.json
refused "profile: found '$work/none'" run vomm --n 10 --profile "$work/none"
refused "nothing fits into --memory-budget 100" \
	plan --n 30 --ranks 4 --memory-budget 100
code=3
refused "$work/none" run vomm --n 10 --nvm-dir "$work/none"

# ---- What can be misread is noted ----

# noted PATTERN ARGUMENTS...
noted() {
	local pattern=$1
	shift
	expect 0 "$@"
	grep -q "^aslant: note: $pattern" err ||
		fail "$*: no note '$pattern': $(cat err)"
}
count=(--store null --ranks 5)
out=out err=err
noted "2x2x1 has work for 4 of 5 ranks: 1 idle" run cannon --n 1k "${count[@]}"
noted "--cache 16m is words, 122.1 MiB; 16MiB is bytes" \
	run 3d --n 64 "${count[@]}" --cache 16m
noted "--nvm-dir is not used: --store dram has no pools" \
	run vomm --n 9 --store dram --nvm-dir .
for where in "--store dram" "--nvm-dir $work"; do
	# shellcheck disable=SC2086
	noted "--erase is not used: no pool lies on a DAX device" \
		run vomm --n 9 --erase $where
done
expect 0 run cuts --n 64 "${count[@]}" --cache 16MiB
[ ! -s err ] || fail "a note without need: $(cat err)"
# A run of minutes says so on a terminal before it is silent.
script -qfc "timeout 1 '$aslant' run vomm --n 8k --store dram" said/long >/dev/null
grep -q "note: about [0-9.]* \(s\|min\|h\) of multiplying and moving are predicted" said/long ||
	fail "a run of minutes is silent: $(cat said/long)"
# Colour is for terminals that want it.
coloured() {
	NO_COLOR=$1 TERM=${2:-xterm} script -qfc "'$aslant' run vomm --n 9 --store dram" \
		said/colour >/dev/null
	grep -c $'verified  \033\\[32myes\033\\[0m' said/colour
}
[ "$(coloured '')$(coloured 1)$(coloured '' dumb)" = 100 ] ||
	fail "colour: $(coloured '')$(coloured 1)$(coloured '' dumb)"
expect 0 run vomm --n 9 --store dram
grep -q $'\033' out && fail "colour in a file"
expect 0 list algorithms
for name in cannon sttsv einsum ooc-auto auto; do
	grep -A1 "^$name  " out | grep -q "^  *use when " ||
		fail "list algorithms says not when $name is the one to use"
done
expect 0 version
cp out version
for how in -V --version; do
	expect 0 $how
	cmp -s out version || fail "$how is not version"
done

# ---- Help: the basic options, those of an algorithm, all ----

# options ARGUMENTS...: how many --help lists
options() {
	expect 0 "$@"
	says '^Examples\?: aslant'
	listed=$(grep -c '^  --' out)
}
options run --help=all
all=$listed
for command in run plan suite trace; do
	options $command --help
	[ "$listed" -ge 8 ] && [ "$listed" -le 22 ] ||
		fail "$command --help has $listed options, which are too few or many"
	says "aslant $command --help=all"
done
options run einsum --help=all
[ "$listed" -lt "$all" ] || fail "einsum takes all $all options"
says '^  --spec '
grep -q -e '^  --\(n\|steiner\|grid\) ' out && fail "einsum takes options of others"
options run cannon --help
says '^  --n '
options run cannon --help=all
says '^  --overlap '
grep -q -e '^  --\(spec\|steiner\|panel\) ' out &&
	fail "cannon takes options of others"
options run 3d --help=all
grep -q -e '^  --overlap ' out && fail "3d overlaps nothing"
options run summa --help=all
says '^  --panel '
# The five examples of every algorithm run, from one that is solved at once.
for name in cannon sttsv einsum ooc-auto auto; do
	expect 0 run $name --help
	sed -n 's/^\(Examples:\)\? *aslant run/run/p' out >lines
	[ "$(wc -l <lines)" = 5 ] || fail "run $name --help: $(wc -l <lines) examples"
	while read -r -u 7 line; do
		eval "expect 0 $line"
	done 7<lines
	rm -r results
done
expect 0 run cannon --help
says '^Problem: C is m x n, A is m x k, B is k x n$'
code=2
refuse "help: found 'foo'" run --help=foo
refuse "did you mean cannon" run canon --help

# ---- The report of one directory lies in it ----

expect 0 run vomm --n 9 --store dram --out here
expect 0 report here
[ -s here/report.html ] && [ "$(cat err)" = here/report.html ] ||
	fail "report: $(cat err)"
BROWSER=echo expect 0 report here/ --open
[ "$(cat out)" = here/report.html ] || fail "report --open: $(cat out err)"
BROWSER=none expect 3 report here --open
code=3

# ---- What is printed cannot be ----

# last PATTERN COMMAND...: its last output is refused
last() {
	local pattern=$1 status
	shift
	timeout 20 "$@" >out 2>err </dev/null
	status=$?
	[ $status = 3 ] && grep -q "^aslant: .*$pattern" err &&
		[ "$(wc -l <err)" = 1 ] ||
		fail "$*: exit code $status, expected 3 and '$pattern': $(cat err)"
}
wait
last "stdout" bash -c "'$aslant' bounds --n 10 >/dev/full"
count="run vomm --n 10 --store null"
last "stdout" bash -c "'$aslant' $count >/dev/full"
last "stdout" bash -c "'$aslant' $count --csv - >/dev/full"
last "stdout" bash -c "'$aslant' $count >&-"
last "stdout" bash -c "'$aslant' run vomm --n 10 --store dram \
	--result '$work/closed.npy' <&- >&-"
[ ! -e closed.npy ] || fail "a stdout that is closed: left a file"
last "mpiexec.mpich" env PATH=/nowhere "$aslant" run 3d --n 10 --ranks 2 --launch

# ---- Full file systems, as root ----

full() {
	out=out err=err
	mount -t tmpfs -o size=256k tmpfs small || exit
	refuse small run vomm --n 400 --nvm-dir small
	head -c 230000 /dev/zero >small/filler
	refuse small/runs.csv run vomm --n 10 --store dram --reps 90 \
		--csv small/runs.csv
	refuse small/new run 3d --n 10 --ranks 64 --store dram --out small/new \
		--csv late.csv
	[ "$(wc -l <late.csv)" = 2 ] || fail "a repetition is lost with --out"
	refuse small/c.npy run vomm --n 100 --store dram --csv csv \
		--result small/c.npy
	[ "$(ls small)" = filler ] ||
		fail "left on a full file system: $(ls small)"
}

mkdir small
if unshare -m true 2>/dev/null; then
	export -f full refuse expect fail
	export code aslant
	unshare -m bash -c full
else
	echo "skipped: full file systems (not root)"
fi

# ---- In a job only rank 0 speaks, and all ranks end ----

ranks=3
# in_job PATTERN ARGUMENTS...
in_job() {
	aslant=mpiexec.mpich refuse "$1" -n $ranks "$aslant" "${@:2}"
}
code=2
in_job "unknown algorithm" run foo --n 10
in_job "n: found '0'" run 3d --n 0
in_job "ranks: found 4.*3 ranks" run 3d --n 10 --ranks 4
in_job "transport: found sim" run 3d --n 10 --transport sim
in_job "launch" run 3d --n 10 --launch
in_job "$work is not empty" run 3d --n 10 --out "$work"
ranks=1 in_job "calibrate: found 1 rank" calibrate x.json
ranks=2 in_job "launch: this is already" calibrate x.json --launch
ranks=2 in_job "ranks: found 3" calibrate x.json --ranks 3
code=3
in_job "$work/none" run 3d --n 10 --nvm-dir "$work/none"
in_job "none/x.json" calibrate none/x.json
refuse "none" calibrate x.json --nvm-dir "$work/none"
refuse "provider" calibrate x.json --provider nonesuch
[ ! -e x.json ] || fail "a refused calibration left a file"

[ ! -e failed ]
