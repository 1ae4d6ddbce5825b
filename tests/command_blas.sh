#!/bin/bash
# command_blas.sh -- OpenBLAS's kernels: which are used, what is said, who chooses
#
# Processors are invented: their flags come from a file.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/help/command.sh"

[ "$(uname -m)" = x86_64 ] || exit 77
unset OPENBLAS_CORETYPE ASLANT_CPUINFO
run=(run vomm --n 40 --store dram)

# ---- What is there ----

expect 0 list machine
here=$(sed -n 's/^blas      OpenBLAS, \([A-Za-z0-9]*\) kernels.*/\1/p' out)
wide=$(grep -c "^blas .* kernels (AVX-512)" out)
"$aslant" --version | grep -q "OpenBLAS .* $here " || fail "not $here: $(cat out)"
expect 0 "${run[@]}" --csv row.csv
is blas_kernels "$here" row.csv
expect 0 run vomm --n 40 --store null --csv row.csv
is blas_kernels "" row.csv

# ---- Vectors that the kernels leave unused ----

echo "flags		: fpu sse2 pni ssse3 sse4_2 avx avx2 avx512f avx512vl" >wide
echo "flags		: fpu sse2 pni" >narrow
if [ "$wide" = 1 ]; then
	expect 0 "${run[@]}"
	[ ! -s err ] || fail "none is unused: $(cat err)"
else
	export ASLANT_CPUINFO=$PWD/wide
	note="note: OpenBLAS uses its $here kernels .* the processor has AVX-512: \
--blas-kernels SkylakeX may be faster$"
	expect 0 list machine
	says "^blas      OpenBLAS, $here kernels (.*); the processor has AVX-512$"
	expect 0 "${run[@]}" --out wide.d
	grep -q "^aslant: $note" err || fail "no note: $(cat err)"
	"$python" - "$here" <<'PYTHON' || fail "machine.json: $(cat wide.d/machine.json)"
import json, sys
x = json.load(open("wide.d/machine.json"))
assert x["blas_kernels"] == sys.argv[1] and x["cpu_vectors"] == "AVX-512", x
assert sys.argv[1] in x["blas"] and x["blas_vectors"] in ("SSE", "AVX", "AVX2")
assert any("SkylakeX may be faster" in note for note in x["notes"]), x["notes"]
PYTHON
	expect 0 report wide.d --out page.html
	grep -q "$here" page.html && grep -q "AVX-512" page.html ||
		fail "report: no kernels"
	# Nothing was multiplied, or not by the BLAS, or somebody chose.
	for quiet in "run vomm --n 40 --store null" "run sttsv --n 40 --store dram"; do
		# shellcheck disable=SC2086
		expect 0 $quiet
		[ ! -s err ] || fail "$quiet: $(cat err)"
	done
	OPENBLAS_CORETYPE=$here expect 0 "${run[@]}"
	[ ! -s err ] || fail "chosen: $(cat err)"
	unset ASLANT_CPUINFO
fi

# ---- A set for all ranks ----

for kernels in Prescott Nehalem; do
	expect 0 "${run[@]}" --blas-kernels $kernels --csv row.csv
	is blas_kernels $kernels row.csv
	is verified 1 row.csv
done
# Ranks whose launcher drops the variable set it themselves.
cat >launch <<'END'
#!/bin/bash
unset OPENBLAS_CORETYPE
exec mpiexec.mpich -n "$@"
END
chmod +x launch
for launcher in "" "$PWD/launch"; do
	ASLANT_LAUNCH=$launcher expect 0 run 3d --n 40 --ranks 3 --launch \
		--blas-kernels Nehalem --csv row.csv
	is blas_kernels Nehalem row.csv
	is verified 1 row.csv
done
expect 0 run 3d --n 40 --ranks 3 --store null --blas-kernels Nehalem --out null.d
! grep -q blas_kernels null.d/machine.json || fail "a BLAS, but nothing moved"

code=2
for name in foo nehalem ""; do
	refuse "blas-kernels: found '$name', expected Prescott, .*SkylakeX" \
		"${run[@]}" --blas-kernels "$name"
done
code=3
ASLANT_CPUINFO=$PWD/narrow refuse "blas-kernels: this processor cannot run those of \
Nehalem$" "${run[@]}" --blas-kernels Nehalem
# OpenBLAS takes others without a word when it does not have those named.
OPENBLAS_CORETYPE=Prescott expect 0 "${run[@]}" --blas-kernels Nehalem --csv row.csv
is blas_kernels Nehalem row.csv

[ ! -e failed ]
