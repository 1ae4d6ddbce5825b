#!/bin/bash
# command_usage.sh -- what cannot be done is refused: exit code, one line, why
#
# Nothing goes to stdout, and the one line on stderr names what was found.
# ASLANT is the command.
set -u

aslant=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/said" "$work/failed"
cases=0

for python in python3 /usr/bin/python3; do
	"$python" -c 'import numpy' 2>/dev/null && break
done

# complain CASE WHAT...
complain() {
	local id=$1
	shift
	{
		echo "command_usage: $*"
		sed 's/^/  stdout: /' "$work/said/$id.out"
		sed 's/^/  stderr: /' "$work/said/$id.err"
	} 2>/dev/null | tee -a "$work/failed/$id"
}

# judge CASE STATUS EXPECTED PATTERN WHAT...
judge() {
	local id=$1 status=$2 expected=$3 pattern=$4
	shift 4
	[ "$status" = "$expected" ] ||
		complain "$id" "$*: exit code $status, expected $expected"
	[ "$(wc -l <"$work/said/$id.err")" = 1 ] ||
		complain "$id" "$*: not one line on stderr"
	grep -q -e "^aslant: .*$pattern" "$work/said/$id.err" ||
		complain "$id" "$*: stderr does not say '$pattern'"
	[ ! -s "$work/said/$id.out" ] ||
		complain "$id" "$*: something on stdout"
}

# try CASE CODE PATTERN COMMAND...
try() {
	local id=$1 expected=$2 pattern=$3
	shift 3
	timeout 20 "$@" >"$work/said/$id.out" 2>"$work/said/$id.err" </dev/null
	judge "$id" $? "$expected" "$pattern" "$@"
}

# Most of a start is spent asleep in the libraries of networks: start several.
later() {
	cases=$((cases + 1))
	while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
		wait -n
	done
	try $cases "$@" &
}

# refused CODE PATTERN ARGUMENTS...
refused() {
	later "$1" "$2" "$aslant" "${@:3}"
}

# ---- Commands, algorithms, options ----

refused 2 "which command"
refused 2 "unknown command 'foo'" foo
refused 2 "unknown command ''" ""
refused 2 "unknown command '--foo'" --foo
refused 2 "unknown command 'foo'" help foo
refused 2 "which algorithm" run
refused 2 "which algorithm" run --n 10
refused 2 "unknown algorithm 'foo'.*vomm.*em-jomma" run foo --n 10
refused 2 "unknown algorithm ''" run "" --n 10
refused 2 "unknown option '--foo'" run vomm --foo 3
refused 2 "unknown option '--foo'" run vomm --foo=3
refused 2 "unknown option '-x'" run vomm -x
refused 2 "unknown option '--rank'" run vomm --n 10 --rank 2
refused 2 "unknown option '--top'" run vomm --n 10 --top 2
refused 2 "unknown option '--out'" plan --n 10 --out "$work/x"
refused 2 "unexpected argument 'extra'" run vomm extra --n 10
refused 2 "unexpected argument 'extra'" run vomm --n 10 -- extra
refused 2 "found 'foo'" list foo
refused 2 "unexpected argument" list stores stores
refused 2 "unknown option '--line?two'" run vomm $'--line\ntwo'

# ---- Values ----

refused 2 "size is missing" run vomm
refused 2 "k is missing" run vomm --m 10 --n 10
refused 2 "n is missing" run vomm --m 10 --k 10
for bad in 0 -5 +5 "" " 5" "5 " 1e3 0x10 1.5 nan inf 5K 5kk 5KiB ten k \
	18446744073709551616 99999999999999999999999 20000000000g; do
	refused 2 "n: found '$bad'" run vomm --n "$bad"
	refused 2 "ranks: found '$bad'" run vomm --n 10 --ranks "$bad"
	refused 2 "n: found '$bad'" plan "--n=$bad"
done
refused 2 "ranks: found '2m'" run vomm --n 10 --ranks 2m
refused 2 "n: found '9g'.*2147483647" run vomm --n 9g --store null
refused 2 "m: found '2147483648'" run vomm --n 10 --k 10 --m 2147483648
refused 2 "2000000000 x 2000000000: 2mnk flops" \
	bounds --n 2000000000
refused 2 "reps: found '0'" run vomm --n 10 --reps 0
refused 2 "warmup: found '-1'" run vomm --n 10 --warmup -1
refused 2 "seed: found '1.0'" run vomm --n 10 --seed 1.0
refused 2 "top: found '0'" plan --n 10 --top 0
for bad in 0 -1 "" 1.5KiB 1kib 1KB 1K 1Mi 1e6 99999999999TiB nan 1KiBx; do
	refused 2 "cache: found '$bad'" run vomm --n 10 --cache "$bad"
	refused 2 "memory-budget: found '$bad'" \
		run vomm --n 10 --memory-budget "$bad"
done
for bad in -1 nan inf 1e999 1.1e100 "" 0x1p3 1,5 " 1" 1k +1 -0 1e; do
	refused 2 "write-cost: found '$bad'" run vomm --n 10 --write-cost "$bad"
done
for bad in 2x2 2x2x2x2 0x1x1 -1x1x1 2X2X2 x2x2 2x2x 1.5x1x1 "" \
	99999999999999999999x1x1 1000x1000x1000; do
	refused 2 "grid: found '$bad'" run em-jomma --n 10 --grid "$bad"
done
for option in transport store panels kernel accounting verify entries; do
	refused 2 "$option: found 'foo'" run vomm --n 10 --$option foo
	refused 2 "$option: found ''" run vomm --n 10 --$option ""
done
for option in a b result provider nvm-dir profile csv out; do
	refused 2 "$option: found ''" run vomm --n 10 --$option ""
done
for option in n ranks grid store cache write-cost csv a; do
	refused 2 "$option: expected" run vomm --$option
done
refused 2 "keep: found '1'" run vomm --n 10 --keep=1
refused 2 "cache: found 2 words" run vomm --n 10 --cache 2

long=$(printf '%5000s' '' | tr ' ' x)
refused 2 "argument 6 ('xxxx.*xxx\.\.\.') has 5000.*4095" \
	run vomm --n 10 --csv "$long"
refused 2 "argument 1 .*5000" "$long"
refused 2 "out: the path .* too long" run vomm --n 10 --out "${long:0:4090}"

# ---- Values that contradict each other ----

refused 2 "grid: found 2x2x2.*8 ranks.*there are 4 (--ranks 8 would do)" \
	run em-jomma --n 10 --ranks 4 --grid 2x2x2
refused 2 "unexpected argument 'vomm'" bounds vomm --n 10
refused 2 "grid: found 2x1x1.*vomm" run vomm --n 10 --grid 2x1x1
refused 2 "no algorithm" plan vomm --n 10 --grid 2x1x1
refused 2 "store null" run 3d --n 10 --store null --launch --ranks 2
refused 2 "store null" run 3d --n 10 --store null --transport mpi
refused 2 "verify: --store null" \
	run 3d --n 10 --store null --verify freivalds
refused 2 "result: --store null" \
	run 3d --n 10 --store null --result "$work/c.npy"
refused 2 "provider" run 3d --n 10 --provider shm
refused 2 "launch" run 3d --n 10 --launch --transport sim
refused 2 "launch: given twice" run 3d --n 10 --launch --launch
refused 2 "launch: found 500000 ranks.*cores" \
	run 3d --n 10 --ranks 500k --launch
refused 2 "needs an MPI job" run 3d --n 10 --ranks 2 --transport ofi
refused 3 "em-jomma .*--memory-budget 100 words: the least need is" \
	run em-jomma --n 30 --ranks 4 --memory-budget 100
refused 3 "grid 2x2x1 of em-jomma.*--memory-budget" \
	run em-jomma --n 30 --grid 2x2x1 --memory-budget 100
refused 3 "nothing fits into --memory-budget 100" \
	plan --n 30 --ranks 4 --memory-budget 100

# ---- Profiles ----

profile() {
	local file="$work/$cases.profile.json"

	echo "$1" >"$file"
	refused 2 "$2" run vomm --n 10 --profile "$file"
}
refused 2 "profile: found '$work/none'" run vomm --n 10 --profile "$work/none"
refused 2 "profile: found '$work'" run vomm --n 10 --profile "$work"
profile '{' "profile: .*profile.json: line"
profile '[]' "profile.json: expected one JSON object"
profile '{"name": "x", "name": "x", "source": "y"}' "line"

# ---- Places ----

refused 3 "$work/none" run vomm --n 10 --nvm-dir "$work/none"
refused 3 "$work/none" run vomm --n 10 --csv "$work/none/x.csv"
refused 3 "$work/none" run vomm --n 10 --out "$work/none/x"
refused 3 "$work/none" run vomm --n 10 --result "$work/none/c.npy"
touch "$work/file"
refused 2 "$work" run vomm --n 10 --out "$work"
refused 2 "$work/file" run vomm --n 10 --out "$work/file"
refused 2 "/dev/null" run vomm --n 10 --csv /dev/null
refused 2 "c.txt" run vomm --n 10 --result "$work/c.txt"
later 3 "stdout" bash -c "'$aslant' bounds --n 10 >/dev/full"
count="run vomm --n 10 --store null"
later 3 "stdout" bash -c "'$aslant' $count >/dev/full"
later 3 "stdout" bash -c "'$aslant' $count --csv - >/dev/full"
later 3 "stdout" bash -c "'$aslant' $count >&-"
later 3 "stdout" bash -c "'$aslant' run vomm --n 10 --store dram \
	--result '$work/closed.npy' <&- >&-"

# ---- Operand files ----

"$python" - "$work" <<'PYTHON'
import sys
import numpy as np

d = sys.argv[1]
np.save(d + "/4x5.npy", np.ones((4, 5)))
np.save(d + "/5x6.npy", np.ones((5, 6)))
np.save(d + "/single.npy", np.ones((5, 6), dtype=np.float32))
np.save(d + "/cube.npy", np.ones((2, 2, 2)))
whole = open(d + "/5x6.npy", "rb").read()
open(d + "/short.npy", "wb").write(whole[:-8])
open(d + "/stub.npy", "wb").write(whole[:7])
open(d + "/empty.npy", "wb").write(b"")
open(d + "/noise.npy", "wb").write(bytes(range(256)))
head = "%%MatrixMarket matrix array real general\n"
open(d + "/word.mtx", "w").write(head + "2 2\n1\n2\nthree\n4\n")
open(d + "/few.mtx", "w").write(head + "2 2\n1\n2\n3\n")
open(d + "/none.mtx", "w").write("")
open(d + "/alien.mtx", "w").write("%%MatrixMarket graph\n1 1\n1\n")
PYTHON

refused 2 "$work/4x5.npy.*5.*$work/4x5.npy.*4" \
	run vomm --a "$work/4x5.npy" --b "$work/4x5.npy"
refused 2 "--n.*7" run vomm --a "$work/4x5.npy" --b "$work/5x6.npy" --n 7
refused 2 "--m.*5" run vomm --a "$work/4x5.npy" --b "$work/5x6.npy" --m 5
refused 2 "n is missing" run vomm --a "$work/4x5.npy"
refused 2 "m is missing" run vomm --b "$work/5x6.npy"
for bad in single.npy cube.npy short.npy stub.npy empty.npy noise.npy \
	word.mtx few.mtx none.mtx alien.mtx missing.npy file; do
	refused 2 "$bad" run vomm --n 2 --b "$work/$bad"
done

# ---- What is read is not written ----

cp "$work/5x6.npy" "$work/kept.npy"
ln -s kept.npy "$work/link.npy"
operands=(--a "$work/4x5.npy" --b "$work/kept.npy")
refused 2 "csv and --b are the same" \
	run vomm "${operands[@]}" --csv "$work/kept.npy"
refused 2 "csv and --b are the same" plan "${operands[@]}" --csv "$work/link.npy"
refused 2 "csv and --a are the same" \
	bounds "${operands[@]}" --csv "$work/said/../4x5.npy"
refused 2 "result and --b are the same" \
	run vomm "${operands[@]}" --result "$work/link.npy"
refused 2 "csv and --result are the same" run vomm "${operands[@]}" \
	--csv "$work/new.npy" --result "$work/said/../new.npy"
echo '{"name": "x", "source": "y"}' >"$work/profile.json"
refused 2 "csv and --profile are the same" run vomm --n 10 \
	--profile "$work/profile.json" --csv "$work/profile.json"
mkdir "$work/foreign"
echo foreign | tee "$work/foreign/runs.csv" >"$work/foreign/topology.xml"
refused 2 "foreign is not empty" run vomm --n 10 --out "$work/foreign"

# ---- Full file systems, as root ----

full() {
	local small=$work/small

	mount -t tmpfs -o size=256k tmpfs "$small" || exit
	try full.1 3 "$small" "$aslant" run vomm --n 400 --nvm-dir "$small"
	head -c 230000 /dev/zero >"$small/filler"
	try full.2 3 "$small/runs.csv" "$aslant" run vomm --n 10 --store dram \
		--reps 90 --csv "$small/runs.csv"
	try full.3 3 "$small/new" "$aslant" run 3d --n 10 --ranks 64 \
		--store dram --out "$small/new" --csv "$work/late.csv"
	[ "$(wc -l <"$work/late.csv")" = 2 ] ||
		complain full.3 "a repetition is lost with --out"
	try full.4 3 "$small/c.npy" "$aslant" run vomm --n 100 --store dram \
		--csv "$work/csv" --result "$small/c.npy"
	[ "$(ls "$small")" = filler ] ||
		complain full.4 "left on a full file system: $(ls "$small")"
}

mkdir "$work/small"
if unshare -m true 2>/dev/null; then
	cases=$((cases + 4))
	export -f full try judge complain
	export work aslant
	unshare -m bash -c full
else
	echo "skipped: full file systems (not root)"
fi

# ---- In a job only rank 0 speaks, and all ranks end ----

in_job() {
	later "$1" "$2" mpiexec.mpich -n 3 "$aslant" "${@:3}"
}
in_job 2 "unknown algorithm" run foo --n 10
in_job 2 "n: found '0'" run 3d --n 0
in_job 2 "ranks: found 4.*3 ranks" run 3d --n 10 --ranks 4
in_job 2 "transport: found sim" run 3d --n 10 --transport sim
in_job 2 "launch" run 3d --n 10 --launch
in_job 2 "$work is not empty" run 3d --n 10 --out "$work"
in_job 3 "$work/none" run 3d --n 10 --nvm-dir "$work/none"
later 3 "mpiexec.mpich" env PATH=/nowhere \
	"$aslant" run 3d --n 10 --ranks 2 --launch

wait
[ "$(sort -u "$work/foreign"/*)" = foreign ] ||
	complain foreign "a refused --out changed what was there"
cmp "$work/5x6.npy" "$work/kept.npy" ||
	complain kept "a refused run changed an operand"
[ ! -e "$work/closed.npy" ] || complain closed "left a file"
echo "$cases cases, $(find "$work/failed" -type f | wc -l) failed"
[ -z "$(ls "$work/failed")" ]
