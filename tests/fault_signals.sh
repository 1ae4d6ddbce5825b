#!/bin/bash
# fault_signals.sh -- who stops the command is told so at once, and nothing is left
#
# SIGTERM, SIGINT, SIGHUP, SIGXCPU (ulimit -t) and SIGXFSZ (ulimit -f) to every
# command that takes long, alone and as a job.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
ulimit -c 0
mkdir pools slow
export ASLANT_NVM_DIR=$work/pools
mkfifo slow/runs.csv # whoever reads it waits
cat >suite.json <<'JSON'
{"about": "one repetition takes minutes", "cases": [
   {"label": "quick", "algorithm": "vomm", "n": 20, "store": "dram"},
   {"label": "slow", "algorithm": "vomm", "n": 5000, "store": "dram",
    "cache": 12, "kernel": "vomm"}]}
JSON

# Two ranks, their guards, the launcher, and what it was started by.
calibrates() {
	[ "$(pgrep -fc "calibrate $work/mine.json")" -ge 6 ]
}

# stopped NAME SIGNAL CODE BEGUN ARGUMENTS...: when the command BEGUN is true; as a
# terminal does, to all of its processes at once, if $to is -
to=
stopped() {
	local name=$1 signal=$2 expected=$3 begun=$4 pid code since
	shift 4
	setsid "$aslant" "$@" >"$name.out" 2>"$name.err" </dev/null &
	pid=$!
	# shellcheck disable=SC2086 # a command
	until_true 20 ready $pid "$signal" && until_true 20 $begun ||
		fail "$name: does not begin"
	since=$SECONDS
	kill -s "$signal" -- $to$pid
	wait $pid
	code=$?
	[ $((SECONDS - since)) -le 10 ] || fail "$name: took $((SECONDS - since)) s"
	[ $code = "$expected" ] ||
		fail "$name: exit code $code, expected $expected: $(cat "$name.err")"
	grep -l 'mpiexec\|BAD TERMINATION\|^$' "$name.out" "$name.err" &&
		fail "$name: what the launcher says of it is passed on"
	[ "$(grep -v '^aslant: note:' "$name.err" | grep -c '^aslant: ')" = 1 ] ||
		fail "$name: not one line: $(cat "$name.err")"
	grep -q "^aslant: .*stopped by SIG$signal" "$name.err" ||
		fail "$name: no word of SIG$signal: $(cat "$name.err")"
}

endless=(em-jomma --n 100 --ranks 4 --reps 1m --csv -)
stopped term TERM 143 "test -s term.out" run "${endless[@]}" 2>/dev/null &
stopped int INT 130 "test -s int.out" run "${endless[@]}" 2>/dev/null &
stopped hup HUP 129 "test -s hup.out" run "${endless[@]}" 2>/dev/null &
stopped xcpu XCPU 152 "test -s xcpu.out" run "${endless[@]}" 2>/dev/null &
stopped plan TERM 143 true plan einsum --spec 'ij,jk,kl,lm,mn,no,op->ip' \
	--dims i=1k,j=1k,k=1k,l=1k,m=1k,n=1k,o=1k,p=1k --ranks 1m 2>/dev/null &
stopped report TERM 143 true report slow --out "$work/report.html" \
	2>/dev/null &
stopped compare INT 130 true compare slow slow --csv "$work/compare.csv" \
	2>/dev/null &
wait
# mpiexec passes them on, and makes one code of those of all ranks: not ours.
stopped job TERM 143 "test -s job.out" run "${endless[@]}" --launch 2>/dev/null &
stopped job-int INT 130 "test -s job-int.out" run "${endless[@]}" --launch 2>/dev/null &
to=- stopped all TERM 143 "test -s all.out" run "${endless[@]}" --launch 2>/dev/null &
to=- stopped all-int INT 130 "test -s all-int.out" run "${endless[@]}" --launch 2>/dev/null &
stopped suite TERM 143 "test -s suite.out" suite suite.json --out "$work/suite" &
wait
says 'the same command continues' suite.err
[ "$(wc -l <suite/runs.csv)" = 2 ] || fail "the suite left $(cat suite/runs.csv)"
stopped calibrate TERM 143 calibrates calibrate "$work/mine.json" --quick &
stopped suite-hup HUP 129 "test -s suite-hup.out" suite suite.json --out "$work/suite-hup"
wait
to=- stopped calibrate-int INT 130 calibrates calibrate "$work/mine.json" --quick

# Whoever starts it may wait for its own children in its own way; a launcher may be
# slow to go.
cat >launcher <<'END'
#!/bin/bash
mpiexec.mpich "$@"
exec >&- 2>&-
sleep 0.3
END
chmod +x launcher
ASLANT_LAUNCH="$work/launcher -n" timeout -k 1 20 env --block-signal=CHLD \
	"$aslant" run 3d --n 10 --ranks 2 --launch >late.out 2>late.err ||
	fail "a launcher that ends late: exit code $?: $(cat late.err)"

for file in report.html compare.csv mine.json; do
	[ ! -e $file ] || fail "left a part of $file"
done
[ -z "$(ls pools)" ] || fail "left pools: $(ls pools)"
none_left() {
	[ -z "$(pgrep -f "$work")" ]
}
until_true 2 none_left || fail "left processes: $(pgrep -af "$work")"

# ---- What is being written is written whole ----

for i in {1..12}; do
	"$aslant" run vomm --n 4 --store dram --ranks 1 --reps 1m --out "rows$i" \
		>out 2>err &
	until_true 20 test -s "rows$i/runs.csv"
	sleep 0.0$((RANDOM % 10))
	kill -TERM $!
	wait $!
	[ "$(ls "rows$i" | tr '\n' ' ')" = \
		"machine.json ranks.csv runs.csv topology.xml " ] ||
		fail "left $(ls "rows$i")"
	diff <(cut -d, -f3 "rows$i/runs.csv") \
		<(cut -d, -f3 "rows$i/ranks.csv" | uniq) >/dev/null ||
		fail "a repetition is in one table and not in the other"
done 2>/dev/null

# ---- Limits ----

out=limit.out err=limit.err
(
	ulimit -t 2
	expect 152 run vomm --n 100 --store dram --reps 1m --csv -
) 2>/dev/null
says 'run vomm was stopped by SIGXCPU: .*ulimit -t' limit.err

# too_large FILE ARGUMENTS...
too_large() {
	local file=$1
	shift
	(
		ulimit -f 8
		expect 3 "$@"
	)
	says "^aslant: .*$file.*" limit.err
	grep -v '^aslant: note:' limit.err | says 'ulimit -f\|File too large' -
}
few=(vomm --n 60 --store dram --reps 40)
one=(vomm --n 60 --store dram)
too_large "$work/a.csv" run "${few[@]}" --csv "$work/a.csv"
too_large "$work/dir/r[a-z]*.csv" run "${few[@]}" --out "$work/dir"
too_large "$work/c.npy" run "${one[@]}" --result "$work/c.npy"
too_large "$work/c.mtx" run "${one[@]}" --result "$work/c.mtx"
too_large stdout run "${few[@]}" --csv -
too_large "$work/page.html" report dir --out "$work/page.html"
for file in a.csv c.npy c.mtx page.html; do
	[ -z "$(find . -name "$file*")" ] || fail "left $(find . -name "$file*")"
done

[ ! -e failed ]
