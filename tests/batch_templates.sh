#!/bin/bash
# batch_templates.sh -- what scripts/submit refuses, and the jobs that it makes
#
# PBS, LSF and Flux are played by scripts: what their documentation says of a job's
# environment, and of how it is stopped.  ASLANT is the command.
set -u

scripts=$(realpath "$(dirname "$0")/../scripts")
aslant=$(realpath "${ASLANT:?}")
work=$(mktemp -d)
clean_up() {
	[ ! -s job.pid ] || pkill -KILL -s "$(cat job.pid)"
	[ ! -s flux.run ] || kill "$(cat flux.run)" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
export WORK=$work

fail() {
	echo "batch_templates: $*"
	tail -n 20 ./*.log 2>/dev/null
	exit 1
}

submit() {
	"$scripts/submit" --aslant "$aslant" --ranks-per-node 4 "$@" \
		>out 2>err </dev/null
}

# refused CODE PATTERN ARGUMENTS...: one line, and no job
refused() {
	local code=$1 pattern=$2 found=0
	shift 2
	submit "$@" || found=$?
	[ $found = "$code" ] || fail "$*: exit code $found, expected $code: $(cat err)"
	[ "$(wc -l <err)" = 1 ] && grep -q -e "$pattern" err ||
		fail "$*: expected one line with '$pattern': $(cat err)"
	[ ! -s out ] || fail "$*: something on stdout"
}

cat >small.json <<'JSON'
{"options": {"n": 96, "cache": 3000, "memory": "8MiB", "reps": 15},
 "cases": [{"ranks": 4, "write-cost": {"from": 1, "to": 4, "by": 1},
	    "algorithm": ["3d", "em-jomma", "fused"]}]}
JSON

# ---- What is refused ----

bin=$work/bin
mkdir "$bin"
ln -s "$(command -v false)" "$bin/sbatch" # found first; must not be called
PATH=$bin:$PATH
small=(./small.json)

refused 2 "which suite" --nodes 2
refused 2 "unexpected argument 'b' after 'a'" a b
refused 2 "unknown option '--node'" "${small[@]}" --node 2
refused 2 "unknown option '-N'" "${small[@]}" -N 2
refused 2 "--nodes: a value is missing" "${small[@]}" --nodes
refused 2 "--queue: found nothing" "${small[@]}" --queue ''
for bad in 0 -1 1.5 two 1000000 '1 2' '$(id)' $'1\n2'; do
	refused 2 "--nodes: found" "${small[@]}" --nodes "$bad"
done
for bad in 10 1:00 1:60:00 1:00:60 -1:00:00 0:02:00 '1:00:00 --x'; do
	refused 2 "--time: found" "${small[@]}" --time "$bad"
done
for bad in 'a b' -x 'a;b' '`id`' '$HOME' "a'b" 'a"b' '@OUT@' a/b; do
	refused 2 "--account: found" "${small[@]}" --account "$bad"
	refused 2 "--queue: found" "${small[@]}" --queue "$bad"
	refused 2 "--qos: found" "${small[@]}" --qos "$bad"
	refused 2 "--job-name: found" "${small[@]}" --job-name "$bad"
done
for bad in 'a b' '$(id)' '"x"' "a'b" 'a;b' '`id`' '@OUT@'; do
	refused 2 "--constraint: found" "${small[@]}" --constraint "$bad"
done
for bad in 8 8GB 0G 1.5G G -1G '1G 2G'; do
	refused 2 "--mem: found" "${small[@]}" --mem "$bad"
done
echo 'if true' >broken
for bad in nothing . broken; do
	refused 2 "--prologue: found" "${small[@]}" --prologue $bad
done
for system in pbs sge lsf flux; do
	refused 2 "--qos: found debug, but jobs of $system have none" \
		"${small[@]}" --system $system --qos debug
done
refused 2 "--mem: found 8G, but jobs of flux have none" "${small[@]}" \
	--system flux --mem 8G
for bad in 'a b' 'a;b' '`id`' '$HOME' "a'b" 'a"b' '@OUT@' '%j' 'a\b'; do
	refused 2 "--out: found" "${small[@]}" --out "$bad"
	refused 2 "--nvm-dir: found" "${small[@]}" --nvm-dir "$bad"
	refused 2 "SUITE: found" "./$bad"
	refused 2 "SUITE: found" "$bad"
done
for bad in 'srun;id' '$(id)' 'a"b"' 'a\ b'; do
	refused 2 "--launcher: found" "${small[@]}" --launcher "$bad"
done
refused 2 "--system: found 'oar'" "${small[@]}" --system oar
refused 2 "--out: found no directory" "${small[@]}" --out nowhere/r
refused 2 "SUITE: cannot read" ./nothing.json
refused 2 "neither a suite" nothing
refused 2 "--ranks-per-node: found 4 ranks .* expected 64, as a case of fig5" \
	fig5
refused 2 "found a control character" "${small[@]}" -- --label $'a\nb'
refused 2 "found a control character" "${small[@]}" --batch $'a\nb'
refused 2 "--out: not after --" "${small[@]}" -- --out x
refused 2 "--kernel: found 'x'" "${small[@]}" -- --kernel x
refused 2 "--aslant: found .*, expected a program" "${small[@]}" --aslant ./none
"$scripts/submit" small.json 2>err && fail "no ranks"
grep -q "ranks-per-node is missing" err || fail "no ranks: $(cat err)"
"$scripts/submit" --help >out || fail "--help ends with $?"
grep -q "Usage: scripts/submit" out || fail "--help: $(cat out)"
rm "$bin/sbatch"

# ---- What is filled in ----

# job SYSTEM ARGUMENTS...: to `out`, a proper script
job() {
	local system=$1
	shift
	submit "${small[@]}" --system "$system" --dry-run "$@" ||
		fail "$system $*: $(cat err)"
	bash -n out || fail "$system $*: no script: $(cat out)"
	grep -v "module load" out | grep -qE '@[A-Z_]+@' && fail "$system $*: left open: $(cat out)"
	! command -v shellcheck >/dev/null ||
		shellcheck -S warning -s bash out || fail "$system $*"
}

all=(--nodes 3 --time 2:03:04 --account me --queue night --out "$work/r"
	--job-name mine --prologue prologue --nvm-dir /mnt/pmem0)
printf '%s\n' 'module() { :; }' "module load 'an mpi' # @OUT@" >prologue
for system in slurm pbs sge lsf flux; do
	job $system
	grep -qE 'account|partition|qos|constraint|requires|mem|select\[|--bank|--queue|# *(PBS|BSUB|\$) -[APq] |nvm-dir' out &&
		fail "$system: asks for what was not given: $(cat out)"
	grep -qiE 'scripts/|template|at-signs|replaces|appends' out &&
		fail "$system: the job says how it was made: $(cat out)"
	grep -qx "submit: --time 0:11:00: ten minutes, and four times .* s, as predicted" \
		err || fail "$system: no time is predicted: $(cat err)"
	case $system in
	slurm) more=(--qos debug --constraint 'icx&(a|b)' --mem 64G) ;;
	pbs) more=(--constraint model=icx --mem 64G) ;;
	sge) more=(--constraint 'model=icx' --mem 64G) ;;
	lsf) more=(--constraint '(model==icx)' --mem 64G) ;;
	flux) more=(--constraint icx) ;;
	esac
	job $system "${all[@]}" "${more[@]}" --launcher 'mpirun -np' --batch -x 'y z'
	grep -qF "'-x' 'y z'" err || fail "$system: --batch is not shown: $(cat err)"
	grep -qxF "module load 'an mpi' # @OUT@" out || fail "$system: no prologue"
	grep -q "suite $work/small.json --launch --out $work/r --nvm-dir /mnt/pmem0" \
		out || fail "$system: another command: $(cat out)"
	grep -qxF 'launcher=mpirun\ -np' out || fail "$system: $(cat out)"
	cp out "$system.job"
done
expect() {
	grep -qxF -e "$2" "$1.job" || fail "expected '$2' in $(cat "$1.job")"
}
expect slurm '#SBATCH --nodes=3'
expect slurm '#SBATCH --ntasks-per-node=4'
expect slurm '#SBATCH --time=2:03:04'
expect slurm '#SBATCH --account=me'
expect slurm '#SBATCH --partition=night'
expect slurm "#SBATCH --output=$work/r.log"
expect slurm '#SBATCH --job-name=mine'
expect slurm '#SBATCH --qos=debug'
expect slurm '#SBATCH --constraint="icx&(a|b)"'
expect slurm '#SBATCH --mem=64G'
expect pbs '#PBS -N mine'
expect pbs '#PBS -l select=3:ncpus=4:mpiprocs=4:mem=64G:model=icx'
expect pbs '#PBS -l walltime=2:03:04'
expect pbs '#PBS -A me'
expect pbs '#PBS -q night'
expect pbs "#PBS -o $work/r.log"
expect sge '#$ -N mine'
expect sge '#$ -pe mpi 12'
expect sge '#$ -l h_rt=7384'
expect sge '#$ -l s_rt=7324'
expect sge '#$ -l model=icx'
expect sge '#$ -l mem_free=64G'
expect sge '#$ -P me'
expect sge '#$ -q night'
expect sge "#$ -o $work/r.log"
expect lsf '#BSUB -J mine'
expect lsf '#BSUB -n 12'
expect lsf '#BSUB -R "span[ptile=4]"'
expect lsf '#BSUB -R "select[(model==icx)]"'
expect lsf '#BSUB -R "rusage[mem=64GB]"'
expect lsf '#BSUB -W 124'
expect lsf '#BSUB -P me'
expect lsf '#BSUB -q night'
expect lsf "#BSUB -o $work/r.log"
expect flux '#flux: --job-name=mine'
expect flux '#flux: --requires="icx"'
expect flux '#flux: --nodes=3'
expect flux '#flux: --nslots=12'
expect flux '#flux: --time-limit=7384s'
expect flux '#flux: --bank=me'
expect flux '#flux: --queue=night'
expect flux "#flux: --output=$work/r.log"

# ---- What is run ----

# Both start the script, which comes by stdin, elsewhere and out of sight.
cat >"$bin/start" <<'SH'
#!/bin/bash
cat >"$WORK/script"
log=$(sed -n 's/^#\(PBS\|BSUB\) -o //p; s/^#flux: --output=//p' "$WORK/script")
cd / || exit
setsid bash -c 'trap : TERM HUP USR2; echo $$ >"$WORK/job.pid"; bash "$WORK/script"; echo $? >"$WORK/code"' \
	>>"$log" 2>&1 </dev/null &
SH
cat >"$bin/qsub" <<'SH'
#!/bin/bash
[ "$*" = "-M me" ] || exit 1
printf 'localhost\n%.0s' {1..4} >"$WORK/nodes"
export PBS_NODEFILE=$WORK/nodes PBS_JOBID=1.here PBS_ENVIRONMENT=PBS_BATCH
exec "$(dirname "$0")/start"
SH
cat >"$bin/bsub" <<'SH'
#!/bin/bash
[ "$*" = "-M me" ] || exit 1
exec "$(dirname "$0")/start"
SH
cat >"$bin/flux" <<'SH'
#!/bin/bash
case "$*" in
"batch -M me") exec "$(dirname "$0")/start" ;;
"run -n "*) # ranks are others' children
	shift 2
	setsid mpiexec.mpich -n "$@" &
	echo $! >"$WORK/flux.run"
	wait $!
	;;
"job killall --force --signal=TERM") kill -TERM "$(cat "$WORK/flux.run")" ;;
*) echo "flux: cannot $*"; exit 1 ;;
esac
SH
chmod +x "$bin"/*

finished() {
	grep -c '^[0-9]' "$out/cases.csv" 2>/dev/null || true
}

# ended CODE: the job, with that code
ended() {
	local turns=400
	until [ -s code ]; do
		[ $((turns--)) -gt 0 ] || fail "$system: the job does not end"
		sleep 0.1
	done
	[ "$(cat code)" = "$1" ] || fail "$system: ends with $(cat code), not $1"
	rm code job.pid
}

# An odd name is one word, and nothing that is executed.
odd="an \"odd\" \$(touch odd) 'name'; touch odd.json"
cat >"$odd" <<'JSON'
{"name": "odd", "about": "a test", "source": "none: relative costs",
 "figures": {"read": {"value": 1, "unit": "relative"},
	     "write": {"value": 2, "unit": "relative"},
	     "net": {"value": 1, "unit": "relative"}}}
JSON

for system in pbs lsf flux; do
	out=$work/$system
	again=("${small[@]}" --system "$system" --out "$out" --batch -M me --
		--profile "$work/$odd")
	submit "${again[@]}" || fail "$system: $(cat err)"
	turns=300
	until [ "$(finished)" -ge 2 ] 2>/dev/null; do
		[ ! -s code ] && [ $((turns--)) -gt 0 ] || fail "$system: no cases"
		sleep 0.1
	done
	# PBS tells the script; LSF and Flux tell all that it started.
	case $system in
	pbs) pkill -TERM -s "$(cat job.pid)" -f "$work/script" ;;
	lsf) pkill -USR2 -s "$(cat job.pid)" ;;
	flux) pkill -HUP -s "$(cat job.pid)" ;;
	esac
	ended 143
	[ "$(finished)" -lt 12 ] || fail "$system: nothing was left to continue"
	submit "${again[@]}" || fail "$system: $(cat err)"
	ended 0
	[ "$(finished)" = 12 ] || fail "$system: $(finished) cases, expected 12"
	[ "$(wc -l <"$out/runs.csv")" = 181 ] || fail "$system: rows are missing"
	[ ! -e odd ] && [ ! -e odd.json ] && [ ! -e /odd ] || fail "executed $odd"
done
echo "batch_templates: jobs of PBS, LSF and Flux, stopped and continued"
