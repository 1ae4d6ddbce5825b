# shellcheck shell=bash
# slurm.sh -- for scripts that need a batch system: a Slurm of two nodes, here
#
# To be sourced.  Where it can, the nodes are those of nodes.sh; elsewhere they are
# two daemons on this host.  SLURM is the (absolute) directory that it lives in.
# The partition `urgent` preempts what runs in `all`.

# shellcheck source=tests/help/nodes.sh
. "$(dirname "${BASH_SOURCE[0]}")/nodes.sh"

slurm_pids=()

# slurm_missing: why there cannot be one; nothing: there can
slurm_missing() {
	local name

	for name in munged slurmctld slurmd sbatch; do
		command -v $name >/dev/null || echo "$name is missing"
	done
	[ "$(id -u)" = 0 ] || echo "this is not root"
}

# Go on, from the start, in namespaces, if that is possible.
slurm_isolate() {
	[ -n "$(nodes_missing)" ] || nodes_isolate "$@"
}

slurm_network() {
	controller=127.0.0.1
	[ -n "${NODES_ISOLATED:-}" ] || return 0
	NODES=$SLURM nodes_start 2
	controller=10.9.9.9
}

# slurm_node I: what slurm.conf says of it; all are on this host, or none is
slurm_node() {
	if [ -n "${NODES_ISOLATED:-}" ]; then
		echo "NodeName=n$1 NodeAddr=10.9.9.$1 NodeHostname=n$1"
	else
		echo "NodeName=n$1 NodeAddr=127.0.0.1 NodeHostname=$(hostname)"
	fi
}

slurm_configure() {
	local i

	slurm_network
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=aslant
		SlurmctldHost=$(hostname)($controller)
		SlurmUser=root
		SlurmctldPort=26817
		AuthType=auth/munge
		AuthInfo=socket=$SLURM/munge,cred_expire=5
		CredType=cred/munge
		StateSaveLocation=$SLURM/state
		SlurmdSpoolDir=$SLURM/spool-%n
		SlurmctldPidFile=$SLURM/slurmctld.pid
		SlurmdPidFile=$SLURM/slurmd-%n.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		SchedulerParameters=bf_interval=1
		PreemptType=preempt/partition_prio
		PreemptMode=REQUEUE
		MailProg=/bin/true
		PartitionName=all Nodes=n[1-2] Default=YES PriorityTier=1 GraceTime=30
		PartitionName=urgent Nodes=n[1-2] PriorityTier=2
	CONF
	for i in 1 2; do
		echo "$(slurm_node $i) Port=$((26820 + i)) CPUs=4"
	done >>"$SLURM_CONF"
}

# slurm_daemon NAME COMMAND...: what it says goes to a file of that name
slurm_daemon() {
	local name=$1
	shift
	"$@" >"$SLURM/$name.log" 2>&1 </dev/null &
	slurm_pids+=($!)
}

slurm_munge() {
	slurm_daemon munged munged --foreground --force --key-file="$SLURM/key" \
		--socket="$SLURM/munge" --pid-file="$SLURM/munged.pid" \
		--log-file="$SLURM/munged.log" --seed-file="$SLURM/seed"
	for _ in {1..100}; do
		[ ! -S "$SLURM/munge" ] || break
		sleep 0.05
	done
}

# slurm_idle SECONDS: do both nodes wait for jobs?
slurm_idle() {
	local until=$((SECONDS + $1))

	until [ "$(sinfo -h -t idle -o %D 2>/dev/null | head -1)" = 2 ]; do
		[ $SECONDS -lt $until ] || return
		sleep 0.1
	done
}

# False: it does not start, and the daemons' last words are on stdout.
slurm_start() {
	local i enter

	mkdir -p "$SLURM/state" "$SLURM/spool-n1" "$SLURM/spool-n2"
	export SLURM_CONF=$SLURM/slurm.conf
	slurm_configure
	(umask 077 && head -c 1024 /dev/urandom >"$SLURM/key")
	slurm_munge
	slurm_daemon slurmctld slurmctld -D
	for i in 1 2; do
		enter=()
		[ -z "${NODES_ISOLATED:-}" ] ||
			enter=(nsenter -t "$(cat "$SLURM/node.$i")" -n -u)
		slurm_daemon n$i "${enter[@]}" slurmd -D -N n$i
	done
	slurm_idle 10 || {
		tail -n 5 "$SLURM"/*.log
		return 1
	}
}

slurm_stop() {
	[ -z "${slurm_pids[*]:-}" ] || kill "${slurm_pids[@]}" 2>/dev/null
	wait "${slurm_pids[@]:-}" 2>/dev/null
}
