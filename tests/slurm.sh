# shellcheck shell=bash
# slurm.sh -- for scripts that need a batch system: a Slurm of two nodes, here
#
# To be sourced.  Where it can, the nodes are network namespaces with names and
# addresses of their own, in a pid namespace, so that all ends with the script;
# elsewhere they are two daemons on this host.  SLURM is the (absolute) directory
# that it lives in.  The partition `urgent` preempts what runs in `all`.

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
	local new=(unshare --net --uts --mount --pid --fork --kill-child
		--mount-proc)

	[ -z "${SLURM_ISOLATED:-}" ] && command -v ip >/dev/null &&
		"${new[@]}" ip link add lan type bridge 2>/dev/null ||
		return 0
	SLURM_ISOLATED=1 exec "${new[@]}" bash "$@"
}

# slurm_node I: its address; with namespaces, nodes[I] is a process in it
slurm_node() {
	local i=$1

	if [ -z "${SLURM_ISOLATED:-}" ]; then
		echo 127.0.0.1
		return
	fi
	unshare --net --uts bash -c "hostname n$i; exec sleep 600" \
		>/dev/null 2>&1 &
	echo $! >"$SLURM/namespace.$i"
	until nsenter -t $! -u hostname 2>/dev/null | grep -qx "n$i"; do
		sleep 0.02
	done
	ip link add "port$i" type veth peer name eth0 netns $!
	ip link set "port$i" master lan up
	nsenter -t $! -n ip link set lo up
	nsenter -t $! -n ip addr add "10.9.9.$i/24" dev eth0
	nsenter -t $! -n ip link set eth0 up
	echo "10.9.9.$i"
}

slurm_network() {
	controller=127.0.0.1
	[ -n "${SLURM_ISOLATED:-}" ] || return 0
	hostname controller
	ip link set lo up
	ip link add lan type bridge
	ip addr add 10.9.9.9/24 dev lan
	ip link set lan up
	controller=10.9.9.9
}

slurm_configure() {
	local i address

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
		address=$(slurm_node $i)
		cat >>"$SLURM_CONF" <<-CONF
			NodeName=n$i NodeAddr=$address NodeHostname=$(slurm_host $i) Port=$((26820 + i)) CPUs=4
		CONF
	done
}

slurm_host() {
	if [ -n "${SLURM_ISOLATED:-}" ]; then
		echo "n$1"
	else
		hostname
	fi
}

# slurm_daemon NAME COMMAND...: what it says goes to a file of that name
slurm_daemon() {
	local name=$1
	shift
	"$@" >"$SLURM/$name.log" 2>&1 </dev/null &
	slurm_pids+=($!)
}

# False: it does not start, and the daemons' last words are on stdout.
slurm_start() {
	local i enter

	mkdir -p "$SLURM/state" "$SLURM/spool-n1" "$SLURM/spool-n2"
	export SLURM_CONF=$SLURM/slurm.conf
	slurm_configure
	(umask 077 && head -c 1024 /dev/urandom >"$SLURM/key")
	slurm_daemon munged munged --foreground --force --key-file="$SLURM/key" \
		--socket="$SLURM/munge" --pid-file="$SLURM/munged.pid" \
		--log-file="$SLURM/munged.log" --seed-file="$SLURM/seed"
	for _ in {1..100}; do
		[ ! -S "$SLURM/munge" ] || break
		sleep 0.05
	done
	slurm_daemon slurmctld slurmctld -D
	for i in 1 2; do
		enter=()
		[ -z "${SLURM_ISOLATED:-}" ] ||
			enter=(nsenter -t "$(cat "$SLURM/namespace.$i")" -n -u)
		slurm_daemon n$i "${enter[@]}" slurmd -D -N n$i
	done
	for _ in {1..100}; do
		[ "$(sinfo -h -t idle -o %D 2>/dev/null | head -1)" != 2 ] ||
			return 0
		sleep 0.1
	done
	tail -n 5 "$SLURM"/*.log
	return 1
}

slurm_stop() {
	[ -z "${slurm_pids[*]:-}" ] || kill "${slurm_pids[@]}" 2>/dev/null
	wait "${slurm_pids[@]:-}" 2>/dev/null
}
