#!/bin/bash
# batch_sge.sh -- scripts/submit on a real Grid Engine: a suite, told to stop, goes on
#
# ASLANT is the command.  Skipped (77) where there can be no Grid Engine.
set -u

submit=$(realpath "$(dirname "$0")/../scripts/submit")
lib=/usr/lib/gridengine
defaults=/usr/share/gridengine

if ! command -v sge_qmaster sge_execd qconf >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "batch_sge: skipped, Grid Engine is missing, or this is not root"
	exit 77
fi

work=$(mktemp -d)
pids=()
clean_up() {
	[ -z "${pids[*]:-}" ] || kill "${pids[@]}" 2>/dev/null
	wait
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

fail() {
	echo "batch_sge: $*"
	tail -n 20 ./*.log "$spool"/*/messages "$spool"/execd/*/messages
	qstat -f 2>&1
	exit 1
}

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -le $end ] || fail "waited too long for: $*"
		sleep 0.1
	done
}

# ---- A cell of one host ----

export SGE_ROOT=$work/sge SGE_CELL=default SGE_ND=1
export SGE_QMASTER_PORT=26830 SGE_EXECD_PORT=26831
common=$SGE_ROOT/default/common spool=$SGE_ROOT/spool

daemon() {
	"$@" >"$1.log" 2>&1 </dev/null &
	pids+=($!)
}

make_cell() {
	mkdir -p "$common/local_conf" "$spool"/{qmaster/job_scripts,execd}
	ln -s $defaults/util "$SGE_ROOT/util"
	echo localhost >"$common/act_qmaster"
	echo "localhost $(hostname)" >"$common/host_aliases"
	cat >"$common/bootstrap" <<-BOOT
		admin_user none
		default_domain none
		ignore_fqdn true
		spooling_method classic
		spooling_lib libspoolc
		spooling_params $common;$spool/qmaster
		binary_path $lib
		qmaster_spool_dir $spool/qmaster
		security_mode none
		listener_threads 2
		worker_threads 2
		scheduler_threads 1
		jvm_threads 0
	BOOT
	sed "s|^execd_spool_dir.*|execd_spool_dir $spool/execd|
		s/^\(min_[ug]id\).*/\1 0/" $defaults/default-configuration >global
	$lib/spoolinit classic libspoolc "$common;$spool/qmaster" init
	$lib/spooldefaults configuration "$work/global"
	$lib/spooldefaults complexes $defaults/util/resources/centry
	$lib/spooldefaults usersets $defaults/util/resources/usersets
	$lib/spooldefaults managers root
}

configure_cell() {
	qconf -as localhost
	cat >pe <<-'PE'
		pe_name mpi
		slots 99
		user_lists NONE
		xuser_lists NONE
		start_proc_args NONE
		stop_proc_args NONE
		allocation_rule $fill_up
		control_slaves TRUE
		job_is_first_task TRUE
		urgency_slots min
		accounting_summary FALSE
		qsort_args NONE
	PE
	qconf -Ap pe
	qconf -ssconf | sed 's/^\(schedule_interval\).*/\1 0:0:1/
		s/^\(flush_[a-z]*_sec\).*/\1 1/' >scheduler
	qconf -Msconf scheduler
	qconf -sq | sed 's/^qname.*/qname all.q/
		s/^hostlist.*/hostlist localhost/
		s/^slots.*/slots 8/
		s/^pe_list.*/pe_list mpi/
		s/^load_thresholds.*/load_thresholds NONE/' >queue
	qconf -Aq queue
}

make_cell >cell.log 2>&1
daemon sge_qmaster
until_true 20 eval 'qconf -sh >/dev/null 2>&1'
configure_cell >>cell.log 2>&1
daemon sge_execd
ready() {
	qstat -f 2>/dev/null | grep -q 'all.q@localhost .* lx-amd64 *$'
}
until_true 30 ready

# ---- Jobs ----

# submit OPTION...: of four ranks
submit() {
	"$submit" --aslant "${ASLANT:?}" --ranks-per-node 4 \
		--system sge "$@" >said 2>&1 </dev/null ||
		fail "submit $*: $(cat said)"
	job=$(sed -n 's/^Your job \([0-9]*\) .*/\1/p' said)
	[ -n "$job" ] || fail "submit $*: $(cat said)"
}

ended() {
	! qstat -j "$1" >/dev/null 2>&1 &&
		grep -qs "^[^:]*:[^:]*:[^:]*:[^:]*:[^:]*:$1:" "$common/accounting"
}

# Did the job end with that exit code?
ended_with() {
	until_true 60 ended "$job"
	found=$(awk -F: -v job="$job" '$6 == job { code = $13 } END { print code }' \
		"$common/accounting")
	[ "$found" = "$1" ] || fail "exit code $found, expected $1"
}

finished() {
	[ "$(grep -c '^[0-9]' "$1/cases.csv" 2>/dev/null || true)" -ge "$2" ] 2>/dev/null
}

cat >suite.json <<'JSON'
{"options": {"n": 96, "cache": 3000, "memory": "8MiB", "reps": 60, "ranks": 4},
 "cases": [{"write-cost": {"from": 1, "to": 4, "by": 1},
	    "algorithm": ["3d", "em-jomma", "fused"]}]}
JSON
echo 'export FROM_PROLOGUE="a prologue"; echo "$FROM_PROLOGUE"' >prologue

# qdel's notice is a SIGUSR2 to all that the job started, before SIGKILL.
submit ./suite.json --out r --job-name first --prologue prologue --mem 1M \
	--batch -v GIVEN=1
qstat -j "$job" >state
until_true 60 finished r 2
grep -q '^job_name: *first$' state || fail "another name: $(cat state)"
grep -q '^hard resource_list: *h_rt=.*,mem_free=1M' state || fail "$(cat state)"
grep -q 'GIVEN=1' state || fail "--batch: $(cat state)"
qdel "$job" >/dev/null
ended_with 143
grep -q "stopped by SIGTERM" r.log || fail "no word of a stop"
grep -qx 'a prologue' r.log || fail "no prologue"
finished r 12 && fail "nothing was left to continue"

submit ./suite.json --out r
ended_with 0
finished r 12 || fail "cases are missing"
[ "$(wc -l <r/runs.csv)" = 721 ] || fail "rows are missing"
"$ASLANT" report r >/dev/null 2>&1 || fail "the report finds failures"
echo "batch_sge: a job of Grid Engine, stopped and continued"
