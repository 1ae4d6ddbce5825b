# shellcheck shell=bash
# lab.sh -- for scripts that need machines with persistent memory: guests, here
#
# To be sourced.  After `lab_enter "$0"` a script goes on in a guest, whose root file
# system is this machine's, with memory on top, so that all that is built or
# installed here is there.  What it says, and its exit code, come back; whatever is
# written outside of $LAB is gone with it.
#
# A guest is a server as they are sold: two sockets, each with DRAM and a persistent
# DIMM, a memory node without CPUs, and HMAT, firmware's table of bandwidths.
#
# A script that cuts the power of guests stays outside, and uses lab_begin itself.

lab_source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
lab_dimms=2 # or 1: each makes every pool that is opened wait longer
lab_more=() # arguments of QEMU
lab_pids=()

# ---- Outside ----

# lab_or_skip SCRIPT: what it takes is there, or ctest's "skipped"
lab_or_skip() {
	local why

	if ! why=$("$lab_source/prepare" "${BUILD:?}/lab" 2>&1 </dev/null); then
		echo "$(basename "$1" .sh): skipped, no guests: $why"
		exit 77
	fi
	LAB=$(mktemp -d) && lab_memory=$(lab_room) || exit 1
	trap 'lab_end' EXIT
	trap 'exit 143' INT TERM HUP
}

# lab_room: a directory for what DIMMs hold, in memory where there is enough: a disk's
# pages are written back, and cost a fault each time that a guest touches them again
lab_room() {
	if [ "$(df --output=avail -k /dev/shm | tail -n 1)" -ge $((4 << 20)) ]; then
		mktemp -d -p /dev/shm
	else
		echo "$LAB"
	fi
}

lab_end() {
	local node

	[ "$BASHPID" = $$ ] || return 0
	for node in "${!lab_pids[@]}"; do
		lab_cut "$node"
	done
	rm -rf "$LAB" "$lab_memory"
}

# lab_boot NODE SCRIPT [ARGUMENT...]: NODE is 0 or 1; lab_wait for it, or lab_cut it.
# DIMMs keep what they hold from one boot to the next.
lab_boot() {
	local node=$1 dimm

	shift
	for ((dimm = 0; dimm < lab_dimms; dimm++)); do
		[ -e "$lab_memory/dimm$node$dimm" ] ||
			truncate -s 514M "$lab_memory/dimm$node$dimm" # 2 MiB are its label
	done
	rm -f "$LAB/code.$node" "$LAB/said.$node"
	lab_environment "$@" >"$LAB/environment.$node"
	lab_machine "$node"
	# A guest never outlives this script, whatever ends it.
	setpriv --pdeathsig KILL qemu-system-x86_64 "${lab_machine[@]}" \
		>"$LAB/console.$node" 2>&1 </dev/null &
	lab_pids[node]=$!
}

# lab_begin NODE SCRIPT [ARGUMENT...]: boots it, if it does not run yet, until the
# script begins.  On a machine that does other things, a kernel may find QEMU's
# clocks too slow, and panic.
lab_begin() {
	local tries

	for tries in 1 2 3; do
		lab_runs "$1" || lab_boot "$@"
		! lab_until 900 "$1" [ -e "$LAB/said.$1" ] || return 0
		lab_cut "$1"
		echo "guest $1 does not begin, $tries of 3 times:"
		tail -n 40 "$LAB/console.$1"
	done
	return 1
}

# shellcheck disable=SC2034 # named by ${!name}
lab_environment() {
	local name

	local LAB_RUN="${*@Q}" LAB_SOURCE=$lab_source
	for name in LAB LAB_RUN LAB_SOURCE PWD ASLANT BUILD ASLANT_TEST_CASES; do
		[ -z "${!name-}" ] || echo "export $name=${!name@Q}"
	done
}

# To $lab_machine.  The cable between two guests is a pair of sockets.
#
# Half of the time went into what nobody asks for: clocks that QEMU is asked for, pages
# that are cleared twice, and code that is translated anew for each process, as long
# as that lies elsewhere in each.
# shellcheck disable=SC2054 # commas are QEMU's
lab_machine() {
	local node=$1 other=$((1 - $1)) i to

	lab_machine=(
		-machine q35,nvdimm=on,nvdimm-persistence=mem-ctrl,hmat=on
		-accel tcg,thread=multi -cpu max,la57=off -display none -no-reboot
		-serial stdio -monitor none -nodefaults
		-smp 2,sockets=2,cores=1,threads=1 -m 2560M,slots=4,maxmem=16G
		-object memory-backend-ram,id=m0,size=1G
		-object memory-backend-ram,id=m1,size=1G
		-object memory-backend-ram,id=m2,size=512M
		-numa node,nodeid=0,cpus=0,memdev=m0
		-numa node,nodeid=1,cpus=1,memdev=m1
		-numa node,nodeid=2,memdev=m2,initiator=1
		-kernel "$BUILD/lab/vmlinuz" -initrd "$BUILD/lab/initrd"
		-append "console=ttyS0 quiet panic=-1 oops=panic mitigations=off
			nowatchdog no_timer_check tsc=reliable init_on_alloc=0 norandmaps LAB_NODE=$node"
		-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap
		-virtfs "local,path=$LAB,mount_tag=share,security_model=none"
		-netdev "dgram,id=cable,local.type=unix,local.path=$LAB/cable.$node,remote.type=unix,remote.path=$LAB/cable.$other"
		-device "virtio-net-pci,netdev=cable,mac=52:54:00:00:00:0$node,romfile="
	)
	for ((i = 0; i < lab_dimms; i++)); do
		lab_machine+=(
			-object "memory-backend-file,id=p$i,share=on,mem-path=$lab_memory/dimm$node$i,size=514M"
			-device "nvdimm,id=dimm$i,memdev=p$i,label-size=2M,node=$i"
		)
	done
	lab_machine+=("${lab_more[@]}")
	for i in 0 1; do
		for to in 0 1 2; do
			lab_hmat $i $to $((i == to ? 10 : to == 2 ? 50 : 20)) \
				$((i == to ? 10 : to == 2 ? 4 : 5))
		done
	done
}

# lab_hmat FROM TO NANOSECONDS GIGABYTES_PER_SECOND
lab_hmat() {
	local what=hmat-lb,initiator=$1,target=$2,hierarchy=memory

	lab_machine+=(
		-numa "$what,data-type=access-latency,latency=$3"
		-numa "$what,data-type=access-bandwidth,bandwidth=${4}G"
	)
}

lab_runs() {
	[ -n "${lab_pids[$1]-}" ] && kill -0 "${lab_pids[$1]}" 2>/dev/null
}

# lab_until SECONDS NODE COMMAND...: false if the guest ends, or time does
lab_until() {
	local until=$((SECONDS + $1)) node=$2

	shift 2
	until "$@"; do
		[ $SECONDS -le $until ] && lab_runs "$node" || return 1
		sleep 0.05
	done
}

# lab_cut NODE: its power
lab_cut() {
	[ -n "${lab_pids[$1]-}" ] || return 0
	kill -9 "${lab_pids[$1]}" 2>/dev/null
	wait "${lab_pids[$1]}" 2>/dev/null
	unset "lab_pids[$1]"
	rm -f "$LAB/cable.$1"
}

# lab_wait NODE SECONDS: until it ends; the exit code of its script
lab_wait() {
	lab_until "$2" "$1" false
	if lab_runs "$1"; then
		echo "guest $1 does not end within $2 s:"
		tail -n 40 "$LAB/console.$1"
	elif [ ! -s "$LAB/code.$1" ]; then
		echo "guest $1 ended before its script did:"
		tail -n 40 "$LAB/console.$1"
	fi
	lab_cut "$1"
	[ ! -e "$LAB/said.$1" ] || cat "$LAB/said.$1"
	return "$(cat "$LAB/code.$1" 2>/dev/null || echo 99)"
}

# lab_enter SCRIPT [GUESTS [SECONDS]]: go on, from the start, in a guest, or in each
# of two at once, in an empty directory; LAB_NODE is its number
lab_enter() {
	local guests=${2:-1} seconds=${3:-600} node code=0

	if [ -n "${LAB_NODE-}" ]; then
		cd "$(mktemp -d)" || exit 99
		return
	fi
	lab_or_skip "$1"
	for ((node = 0; node < guests; node++)); do
		lab_boot $node "$(realpath "$1")"
	done
	for ((node = 0; node < guests; node++)); do
		lab_begin $node "$(realpath "$1")" || exit 99
	done
	for ((node = 0; node < guests; node++)); do
		lab_wait $node "$seconds" || code=$?
	done
	exit $code
}

# ---- In a guest ----

# lab_fsdax DIMM ext4|xfs DIR [OPTION-OF-MKFS...]: an empty DAX file system on it
lab_fsdax() {
	local dimm=$1 type=$2 dir=$3

	shift 3
	ndctl create-namespace -f -e "namespace$dimm.0" -m fsdax -M mem \
		>/dev/null || return
	lab_format "$type" "/dev/pmem$dimm" "$@" &&
		lab_mount "$type" "/dev/pmem$dimm" "$dir" -o dax=always
}

# lab_devdax DIMM: /dev/daxDIMM.0
lab_devdax() {
	modprobe -a device_dax dax_pmem kmem &&
		ndctl create-namespace -f -e "namespace$1.0" -m devdax >/dev/null
}

# lab_format ext4|xfs DEVICE [OPTION...]
lab_format() {
	local type=$1 device=$2

	shift 2
	case $type in
	ext4) mkfs.ext4 -q -F -b 4096 "$@" "$device" ;;
	xfs) mkfs.xfs -q -f "$@" "$device" ;;
	esac
}

# lab_mount ext4|xfs DEVICE DIR [OPTION...]
lab_mount() {
	mkdir -p "$3"
	mount -t "$1" "${@:4}" "$2" "$3"
}

# lab_serve: what lab-ask on the other guest asks for is done here, from now on, as
# ssh would
lab_serve() {
	local turn=0

	while [ -e "$LAB/ask.$turn" ]; do
		turn=$((turn + 1))
	done
	while sleep 0.1; do
		[ -e "$LAB/ask.$turn" ] || continue
		lab_answer $turn &
		turn=$((turn + 1))
	done &
}

lab_answer() {
	bash -c "$(cat "$LAB/ask.$1")" </dev/null >"$LAB/told.$1" 2>&1
	touch "$LAB/answer.$1"
}

# lab_hosts: jobs have one rank on each guest.  UCX, below MPI, takes soft-RoCE for a
# device that it knows.
lab_hosts() {
	cat >/usr/local/bin/lab-ask <<-'ASK'
		#!/bin/bash
		while [[ $1 = -* ]]; do shift; done
		shift # the host: there is one
		turn=0
		while [ -e "$LAB/ask.$turn" ]; do
			turn=$((turn + 1))
		done
		echo "$*" >"$LAB/asks"
		mv "$LAB/asks" "$LAB/ask.$turn"
		until [ -e "$LAB/answer.$turn" ]; do
			sleep 0.1
		done
		cat "$LAB/told.$turn"
	ASK
	chmod +x /usr/local/bin/lab-ask
	export LAB HYDRA_LAUNCHER_EXEC=/usr/local/bin/lab-ask UCX_TLS=tcp,self,sm
	export ASLANT_LAUNCH="mpiexec.mpich -launcher ssh -hosts node0:1,node1:1 -iface eth0 -n"
}

# ---- What its scripts check ----

# shellcheck disable=SC2034 # theirs
aslant=${ASLANT:-} lab_failed=0 lab_pools=/pm

# shellcheck disable=SC2034 # theirs, too
fail() {
	echo "$(basename "$0" .sh): $*"
	lab_failed=1
}

# says PATTERN: of `out` and `err`
says() {
	cat out err | grep -q -e "$1" || fail "expected '$1' in $(cat out err)"
}

# runs MEDIUM COMMAND...: verified, as predicted, on that medium in $lab_pools
runs() {
	local medium=$1

	shift
	"$@" --nvm-dir "$lab_pools" >out 2>err </dev/null || fail "$*: exit code $?"
	says "^store  *pmem on $medium,"
	says "^Every counter of every rank is as predicted"
	says "^verified  yes"
	[ "$medium" != fsdax ] || [ ! -s err ] || fail "$*: $(cat err)"
	[ ! -d "$lab_pools" ] || [ -z "$(find "$lab_pools" -name '*.pool')" ] ||
		fail "$*: left $(ls "$lab_pools")"
}

# ticks PID: hundredths of a second that it computed; nothing once it has ended
ticks() {
	local stat

	read -ra stat <"/proc/$1/stat" || return
	echo $((stat[13] + stat[14]))
} 2>/dev/null

# computes PID HUNDREDTHS: until it has, of a second, from now on, or has ended
computes() {
	local from now

	from=$(ticks "$1")
	now=$from
	until [ -z "$now" ] || [ "$now" -ge $((from + $2)) ]; do
		sleep 0.01
		now=$(ticks "$1")
	done
}

# interrupt HUNDREDTHS COMMAND...: killed when it has computed so long on its pool
interrupt() {
	local pool=/pm/aslant-resume-0.pool

	"${@:2}" >out 2>err </dev/null &
	until [ -e $pool ] || [ -z "$(ticks $!)" ]; do
		sleep 0.01
	done
	computes $! "$1"
	kill -9 $!
	wait $!
} 2>/dev/null

# resumes ARGUMENTS...: killed, it goes on from there.  A fast machine may be ready
# before: then it is killed earlier.
resumes() {
	local run=("$aslant" "$@" --nvm-dir /pm --resume) hundredths

	"$aslant" "$@" --store dram --result whole.npy >out 2>err </dev/null ||
		fail "$(cat err)"
	for hundredths in 40 20 10 5 3 2 1; do
		interrupt $hundredths "${run[@]}" --result again.npy
		runs fsdax "${run[@]}" --result again.npy
		cmp whole.npy again.npy || fail "$*: another result"
		! grep -q '^resumed  *life 2' out || return
	done
	fail "$*: is never resumed"
}
