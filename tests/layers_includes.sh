#!/bin/bash
# layers_includes.sh -- arrows point down only: who may include what
#
# The rules of CONTRIBUTING.md, checked on this source tree, and then on a copy of it
# with planted violations, all of which must be found, and nothing else.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d -p "${BUILD:-/tmp}")
trap 'rm -rf "$work"' EXIT

# Every include as FILE:LINE:HEADER, paths relative to the tree.
includes() {
	(cd "$1" && grep -nEr --include='*.[ch]' \
		'^[[:space:]]*#[[:space:]]*include' bench lib net nvm) |
		sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]*)[>"].*/:\1/'
}

# The floors of lib, the lowest first; rooms of one floor know nothing of each other.
floors="base machine,matrix rank kernels,plan,calibrate run multiply \
	contract,symmetric outofcore"

# What is wrong in the tree $1, a line each.
violations() {
	includes "$1" | awk -F: -v floors="$floors" '
		BEGIN {
			n = split(floors, rooms, " ")
			for (i = 1; i <= n; i++) {
				m = split(rooms[i], alike, ",")
				for (j = 1; j <= m; j++)
					floor["lib/" alike[j]] = i
			}
		}
		function bad(rule) { print $1 ":" $2 ": " $3 ": " rule }
		{
			match($1, "^[a-z]+"); layer = substr($1, 1, RLENGTH)
			folder = $1; sub("/[^/]*$", "", folder)
			header = $3
			ours = header ~ "^(bench|lib|net|nvm|tests|scripts)/"
		}
		header ~ /^\.|\/\.\.\// { bad("is relative") }
		!ours && header !~ "/" && (folder "/" header) in here {
			bad("is not named from the root")
		}
		ours && layer == "bench" && header !~ "^(bench|lib)/" &&
		header != "net/net.h" && header != "nvm/store.h" {
			bad("bench may include bench, lib, net/net.h, nvm/store.h")
		}
		ours && layer == "lib" && header !~ "^lib/" &&
		header != "net/net.h" && header != "nvm/store.h" {
			bad("lib may include lib, net/net.h, nvm/store.h")
		}
		ours && layer == "net" && header !~ "^(net|lib/base)/" {
			bad("net may include net and lib/base only")
		}
		ours && layer == "nvm" && header !~ "^(nvm|lib/base)/" {
			bad("nvm may include nvm and lib/base only")
		}
		ours && $1 ~ "^lib/base/" && header !~ "^lib/base/" {
			bad("lib/base is below everything")
		}
		ours && layer == "lib" && header ~ "^lib/" {
			match(header, "^lib/[^/]*"); used = substr(header, 1, RLENGTH)
			match($1, "^lib/[^/]*"); user = substr($1, 1, RLENGTH)
			if (!(used in floor) || !(user in floor))
				bad("has no floor")
			else if (used != user && floor[used] >= floor[user])
				bad(user " is not above " used)
		}
		header ~ "^libpmem" && layer != "nvm" { bad("PMDK is for nvm") }
		header ~ "^rdma/" && layer != "net" { bad("libfabric is for net") }
		header ~ "^mpi" && layer != "net" && $1 !~ "^bench/measure/peers/" {
			bad("MPI is for net, and for what we are compared with")
		}
		header ~ "^(hwloc|likwid|perfmon/|linux/perf_event)" &&
		$1 !~ "^lib/machine/" { bad("hardware is for lib/machine") }
		header ~ "^(f77)?(cblas|openblas|lapacke)" &&
		$1 !~ "^lib/rank/" { bad("BLAS is for lib/rank") }'
	(cd "$1" && grep -nEr --include='*.[ch]' '\bTODO\b' \
		bench lib net nvm tests | sed 's/$/: is to be done/')
}

# plant FILE LINE: at the end of a copy of the file, to be found
plant() {
	[ -f "$work/$1" ] || {
		echo "layers_includes: there is no $1 to plant '$2' in"
		exit 1
	}
	echo "$2" >>"$work/$1"
	echo "$1:$(wc -l <"$work/$1"):" >>"$work/planted"
}

[ "$(includes "$root" | wc -l)" -gt 100 ] || {
	echo "layers_includes: no includes below $root?"
	exit 1
}
found=$(violations "$root")
if [ -n "$found" ]; then
	echo "$found"
	exit 1
fi

for layer in bench lib net nvm tests; do
	(cd "$root" && find $layer -name '*.[ch]' -print0 |
		xargs -0r cp --parents -t "$work")
done
plant lib/rank/charge.c '#include "net/provider.h"'
plant lib/rank/charge.c '#include "nvm/pmem.h"'
plant lib/multiply/search.c '#include "bench/library/options.h"'
plant lib/kernels/vomm.c '#include <cblas.h>'
plant lib/rank/charge.c '#include <libpmemobj.h>'
plant lib/rank/rank.h '# include <mpi.h>'
plant lib/run/run.c '#include "lib/multiply/multiply.h"'
plant lib/plan/family.h '#include "lib/multiply/bounds.h"'
plant lib/base/text.c '#include "lib/matrix/file.h"'
plant lib/rank/charge.c '#include "lib/calibrate/calibrate.h"'
plant lib/matrix/file.c '#include "lib/machine/machine.h"'
plant lib/contract/spec.c '#include "lib/symmetric/block.h"'
plant lib/run/run.c '	#include <rdma/fabric.h>'
plant lib/run/run.c '#include <hwloc.h>'
plant lib/rank/charge.c '#include <likwid.h>'
plant lib/rank/charge.c '#include <linux/perf_event.h>'
plant lib/run/hardware.c '#include <linux/perf_event.h>'
plant lib/rank/charge.c '#include "../../net/ofi.h"'
plant net/sim.c '#include "lib/rank/rank.h"'
plant net/sim.c '#include "nvm/store.h"'
plant lib/base/error.c '#include "lib/rank/rank.h"'
plant lib/base/error.c '#include "net/net.h"'
plant net/sim.c '#include <libpmem.h>'
plant nvm/dram.c '#include "net/net.h"'
plant nvm/dram.c '#include <mpi.h>'
plant bench/library/options.c '#include "net/provider.h"'
plant bench/library/options.c '#include "nvm/provider.h"'
plant bench/library/options.c '#include <mpi.h>'
plant bench/library/options.c '#include <hwloc.h>'
plant bench/library/options.c '#include <cblas.h>'
plant nvm/dram.c '/* TODO */'
plant tests/help/random.h '// TODO: later'
violations "$work" >"$work/found"
while read -r place; do
	grep -qF "$place" "$work/found" || {
		echo "layers_includes: what was planted in $place was not found"
		exit 1
	}
done <"$work/planted"
[ "$(cut -d: -f1-2 "$work/found" | sort -u | wc -l)" = 32 ] || {
	echo "layers_includes: more is wrong in the copy than what was planted"
	exit 1
}
echo "ok: $(includes "$root" | wc -l) includes, and 32 planted violations found"
