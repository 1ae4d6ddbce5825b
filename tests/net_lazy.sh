#!/bin/bash
# net_lazy.sh -- MPI and libfabric are loaded when a transport needs them
#
# No command maps them otherwise, and a job over libfabric no MPI; neither the command
# nor libaslant is linked with them, and where they are missing, that is said.
set -u

. "$(dirname "$0")/help/command.sh"

# maps ARGUMENTS...: to $found, which of them the command maps
maps() {
	rm -f trace.*
	LD_DEBUG=files LD_DEBUG_OUTPUT=trace expect 0 "$@"
	found=$(cat trace.* | sed -nE \
		's/.*calling init: .*\/lib((fabric|mpi|mpich)\.so).*/\1/p' | sort -u)
}

# lazy ARGUMENTS...
lazy() {
	maps "$@"
	[ -z "$found" ] || fail "$*: maps $found"
}

for file in "$aslant" "$BUILD"/libaslant.so; do
	readelf -d "$file" | grep -E 'NEEDED.*lib(fabric|mpi|mpich|psm|uc[ps])' &&
		fail "$file is linked with them"
done

lazy --help
lazy list machine
lazy plan 3d --n 64 --ranks 8
lazy bounds --n 64 --ranks 8
lazy run vomm --n 8 --store null
lazy run vomm --n 8 --ranks 4 --store dram --out a
lazy run vomm --n 8 --ranks 4 --store dram --out b
lazy report a b --out page.html
lazy compare a b
maps run vomm --n 8 --transport mpi --store dram
[ -n "$found" ] || fail "a run over MPI maps no MPI: this test does not see it"
maps run vomm --n 8 --ranks 2 --launch --transport ofi --store dram
[ "$found" = fabric.so ] || fail "a job over libfabric maps $found"

# The command hides /proc/kallsyms, which takes libfabric long to read, and waits for
# libfabric's locks.
LD_DEBUG=bindings LD_DEBUG_OUTPUT=bound expect 0 run vomm --n 8 \
	--transport ofi --store dram
for call in fopen pthread_spin_lock; do
	cat bound.* | grep -q "/libfabric\.[^ ]* .*to $aslant .*symbol .$call'" ||
		fail "libfabric's $call is not the command's"
done

# psm: to $found, the libraries of PSM that a run over libfabric calls as they start
psm() {
	rm -f files.*
	LD_DEBUG=files LD_DEBUG_OUTPUT=files expect 0 run vomm --n 8 \
		--transport ofi --store dram
	found=$(cat files.* | sed -nE 's/.*calling init: (.*\/libpsm.*)/\1/p')
}

# Nor do PSM's libraries start, whose start is a sleep, where no adapter is theirs.
real=$(ldd "$(ldconfig -p | sed -n 's/.*libfabric\.so\.1 .*=> //p')" |
	sed -n 's/.*libpsm.* => \(.*\) .*/\1/p' | sort)
if [ -n "$real" ] &&
	! find /sys/class/infiniband 2>&1 | grep -qE "/(hfi1|qib|ipath)"; then
	count=$(wc -l <<<"$real")
	psm
	[ "$(grep -c "^$BUILD/absent/libpsm" <<<"$found")" = "$count" ] &&
		[ "$(wc -l <<<"$found")" = "$count" ] ||
		fail "not all of PSM is a stand-in: $found"

	# With an adapter, and where stand-ins lack a call, PSM's own are loaded.
	if unshare -m true 2>/dev/null; then
		export -f psm expect fail
		export work aslant BUILD out err
		unshare -m bash -c 'cd "$work"; mount -t tmpfs none /sys/class
			mkdir -p /sys/class/infiniband/hfi1_0; psm
			echo "$found" >adapter'
		[ "$(sort adapter)" = "$real" ] ||
			fail "PSM's adapter is left idle: $(<adapter)"
	else
		echo "not checked with an adapter of PSM: mounting is not permitted"
	fi
	mkdir absent
	for library in $real; do
		"${CC:-cc}" -shared -x c /dev/null -o absent/"${library##*/}" \
			-Wl,-soname,"${library##*/}"
	done
	cp "$aslant" aslant
	aslant=./aslant psm
	[ "$(grep -v /absent/ <<<"$found" | sort)" = "$real" ] ||
		fail "stand-ins that lack calls remain: $found"
fi

export LD_PRELOAD=$faults FAULT_CALL=library FAULT_AT=1 FAULT_CALLS=9
code=3
for transport in ofi mpi; do
	refuse "lib.* cannot be loaded: .*cannot open" run vomm --n 8 \
		--transport $transport --store dram
done
expect 0 run vomm --n 8 --store null

[ ! -e failed ]
