#!/bin/bash
# command_symmetric.sh -- symmetric tensors on the command line
#
# Results against NumPy's, what the rows say, and what
# list, plan, bounds and suite make of it.  ASLANT is the command.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# ---- Results ----

"$python" - <<'PYTHON'
import itertools
import numpy as np

g = np.random.default_rng(1)
n = 23
A = np.zeros((n, n, n))
with open("A.tns", "w") as f:
    f.write("# each entry once, indices in any order\n")
    for e in itertools.combinations_with_replacement(range(n), 3):
        v = g.uniform(-1, 1)
        for p in itertools.permutations(e):
            A[p] = v
        p = g.permutation(e) + 1
        f.write("%d %d %d %r\n" % (*p, float(v)))
np.save("A.npy", A)
np.save("x.npy", g.uniform(-1, 1, (n, 1)))
np.save("X.npy", g.uniform(-1, 1, (n, 5)))
# Fano's plane in three dimensions: 8 points, 14 quadruples.
open("sqs8", "w").write("# {1, 2, ..., 8}\n" + "".join(
    "%d %d %d %d\n" % tuple(i + 1 for i in q)
    for q in itertools.combinations(range(8), 4)
    if q[0] ^ q[1] ^ q[2] ^ q[3] == 0))
PYTHON

cat >right.py <<'PYTHON'
import sys
import numpy as np

what, path = sys.argv[1:]
A, x, X, found = (np.load(f) for f in ("A.npy", "x.npy", "X.npy", path))
if what == "hopm":
    lam = float(np.einsum("ijk,il,jl,kl->", A, found, found, found))
    y = np.einsum("ijk,jl,kl->il", A, found, found)
    assert abs(np.linalg.norm(found) - 1) < 1e-13, "norm"
    assert np.linalg.norm(y - lam * found) < 1e-9, "no eigenvector"
    print("%.10g" % lam)
else:
    X = X if what == "cpgrad" else x
    Y = np.einsum("ijk,jl,kl->il", A, X, X)
    if what == "cpgrad":
        Y = X @ ((X.T @ X) ** 2) - Y
    assert found.shape == Y.shape, found.shape
    assert np.allclose(found, Y, 1e-12, 1e-12), abs(found - Y).max()
PYTHON

# right WHAT ARGUMENTS...: y.npy of a run is what NumPy finds; the row to r.csv
right() {
	local what=$1
	shift
	rm -f y.npy
	expect 0 run "$@" --store dram --result y.npy --csv r.csv
	"$python" right.py "$what" y.npy >lambda || fail "$*: y is wrong"
	is predicted_equal 1 r.csv
	is verified 1 r.csv
	is n 23 r.csv
	is m "" r.csv
	is k "" r.csv
	is kernel "" r.csv
}

files=(--tensor A.npy --b x.npy)
right sttsv sttsv "${files[@]}" --ranks 10
is grid spherical-2 r.csv
is ranks_used 10 r.csv
is eigenvalue "" r.csv
is iterations "" r.csv
cp y.npy first.npy
right sttsv sttsv --tensor A.tns --b x.npy --ranks 10
cmp y.npy first.npy || fail "the tensor is another in .tns"
right sttsv sttsv "${files[@]}" --ranks 30 --exchange alltoall
is grid spherical-3/alltoall r.csv
right sttsv sttsv "${files[@]}" --n 23
is grid triples-3 r.csv
right sttsv sttsv "${files[@]}" --steiner boolean-3
is ranks 14 r.csv
right sttsv sttsv "${files[@]}" --steiner sqs8 --verify oracle
is ranks 14 r.csv
right sttsv sttsv "${files[@]}" --steiner cubic --ranks 7
is ranks_used 7 r.csv
right sttsv sttsv-naive "${files[@]}" --grid 2x3x3
is grid 2x3x3 r.csv
right sttsv sttsv-naive "${files[@]}" --ranks 27
is ranks_used 27 r.csv
n=$(field n r.csv)
is ternary_mults $((n * n * n)) r.csv
right sttsv sttsv-sequence "${files[@]}" --ranks 5
right sttsv sttsv-sequence "${files[@]}" --ranks 29
is ranks_used 23 r.csv
right cpgrad cpgrad --tensor A.npy --b X.npy --cp-rank 5 --ranks 14
right cpgrad cpgrad --tensor A.npy --b X.npy --cp-rank 5 --ranks 10 --cache 250
right hopm hopm "${files[@]}" --ranks 10 --shift 12 --iterations 20000
[ "$(printf '%.8g' "$(field eigenvalue r.csv)")" = \
	"$(printf '%.8g' "$(cat lambda)")" ] || fail "hopm: another eigenvalue"
[ "$(field iterations r.csv)" -lt 20000 ] || fail "hopm does not converge"
expect 0 run hopm "${files[@]}" --store dram --iterations 3 --csv r.csv
is iterations 3 r.csv

# As processes, on pools.
expect 0 run sttsv "${files[@]}" --ranks 10 --launch --result y.npy --csv r.csv
"$python" right.py sttsv y.npy || fail "launched: y is wrong"
is predicted_equal 1 r.csv
is transport ofi r.csv

# ---- For people ----

expect 0 run hopm --n 20 --ranks 12 --steiner spherical --store dram --iterations 4 --shift 3
says "^hopm: A x2 x x3 x = lambda x, A symmetric, n = 20,"
says "^shift 3, tolerance 1e-12, at most 4 iterations"
says "^ranks     10 of 12 by spherical-2, 5 row blocks: 2 idle"
says "5 steps each way; .* 2 (3n/5 - n/10) = 20 words"
says "^found     lambda = .* after 4 iterations, as many as were allowed"
says "^Every counter"
[ "$(cat err)" = "aslant: note: spherical-2 has work for 10 of 12 ranks: 2 idle" ] ||
	fail "what is idle: $(cat err)"
for ranks in 2 3 5 7 12 13; do # which have no Steiner system of their own
	expect 0 run sttsv --n 300 --ranks $ranks --store null
	says "^ranks     $ranks by c"
	[ ! -s err ] || fail "$ranks ranks: $(cat err)"
done
expect 0 run sttsv --n 300 --ranks 30 --store null --exchange alltoall
says "29 steps each way, all to all, of 6 words"
expect 0 run cpgrad --n 40 --ranks 10 --store null --cp-rank 3
says "^cpgrad: Y = .* n = 40, R = 3, 3 at a time"

# The paper's words, where all divides: q = 3, and all to all.
expect 0 run sttsv --n 1200 --ranks 30 --store null --csv r.csv
is bh_words_max 880 r.csv
is net_msgs_max 52 r.csv
expect 0 run sttsv --n 1200 --ranks 30 --store null --exchange alltoall --csv r.csv
is bh_words_max 1160 r.csv

# Where n does not divide, nobody owns more than n/P words, rounded up.
while read -r q ranks n words; do
	expect 0 run sttsv --n "$n" --ranks "$ranks" --store null \
		--cache 16MiB --csv r.csv
	is bh_words_max "$words" r.csv
	is net_msgs_max $((2 * (q * (q + 1) - 1))) r.csv
	expect 0 run sttsv --n "$n" --ranks "$ranks" --store null \
		--cache 16MiB
	says "no shares of n = $n words need fewer than $words words"
done <<'ROWS'
3 30 130 110
5 130 790 406
ROWS

# Systems of other families, and where the whole cube sends less.
expect 0 run sttsv --n 1848 --ranks 77 --store null --cache 16MiB --csv r.csv
is grid witt-22 r.csv
is ternary_mults $((1848 * 1848 * 1849 / 2)) r.csv
is bh_words_max 960 r.csv
expect 0 plan sttsv --n 120 --ranks 10
says "^sttsv-naive on .* sends less, .* words instead of"
expect 0 plan sttsv --n 1200 --ranks 30
grep -q "sends less" out && fail "naive sends less on 30 ranks"

# A budget that is just enough.
need=$(sed 's/.*needs //' \
	<("$aslant" run sttsv --n 50 --ranks 10 --memory-budget 9 2>&1))
expect 0 run sttsv --n 50 --ranks 10 --memory-budget "$need" --csv b.csv
is memory_high_words "$need" b.csv
is verified 1 b.csv
refuse "needs $need" run sttsv --n 50 --ranks 10 \
	--memory-budget $((need - 1))

# The cache that is said to be enough is.
for how in "sttsv --ranks 30" "hopm --ranks 14" "cpgrad --cp-rank 4 --ranks 10" \
	"cpgrad --cp-rank 1" "sttsv-naive --ranks 12" \
	"sttsv-sequence --ranks 3" "sttsv --ranks 30 --order 5"; do
	# shellcheck disable=SC2086
	expect 2 run $how --n 31 --cache 7
	need=$(sed 's/.*needs \([0-9]*\) for its.*/\1/' err)
	# shellcheck disable=SC2086
	expect 0 run $how --n 31 --store dram --cache "$need"
done

# ---- What there is, what it costs, what nobody betters ----

expect 0 list steiner
says "^spherical-3 *30 *10 *4 *26 "
says "^boolean-3 *14 *8 *4 *12 *0.85714 "

# Table 3 of the paper has boolean-3's ranks and row blocks, in the same order, and
# Tables 1 and 2 those of the file; which diagonal blocks a rank has is left open.
expect 0 list steiner boolean-3
says "^boolean-3: 14 ranks, 8 row blocks, of which a rank works with 4"
says "^12 steps send x"
"$python" - out <<'PY' || fail "list steiner boolean-3 is not Table 3"
import re, sys
text = open(sys.argv[1]).read()
def sets(name):
    found = re.findall(name + r" = (\{.*?\}|\{\})", text, re.S)
    return [re.sub(r"\s", "", x) for x in found]
R = """{1,2,3,4} {1,2,5,6} {1,2,7,8} {1,3,5,7} {1,3,6,8} {1,4,5,8} {1,4,6,7}
{2,3,5,8} {2,3,6,7} {2,4,5,7} {2,4,6,8} {3,4,5,6} {3,4,7,8} {5,6,7,8}""".split()
assert sets("R_p") == R, sets("R_p")
R = [set(map(int, x[1:-1].split(","))) for x in R]
Q = [set(map(int, x[1:-1].split(","))) for x in sets("Q_i")]
assert Q == [{p + 1 for p in range(14) if i in R[p]} for i in range(1, 9)], Q
seen = []
for name, each in ("N_p", 4), ("D_p", 1):
    for p, x in enumerate(sets(name)):
        blocks = [tuple(map(int, b.split(",")))
                  for b in re.findall(r"\((.*?)\)", x)]
        assert len(blocks) <= each and all(set(b) <= R[p] for b in blocks)
        seen += blocks
assert sorted(seen) == sorted(
    [b for i in range(1, 9) for j in range(1, i) for b in ((i, i, j), (i, j, j))]
    + [(i, i, i) for i in range(1, 9)])
steps = text[text.index("steps send x"):]
pairs = [tuple(map(int, x.split("->"))) for x in re.findall(r"\d+->\d+", steps)]
assert len(pairs) == len(set(pairs)) == 12 * 14
assert all(R[i - 1] & R[j - 1] for i, j in pairs)
for s in range(12):
    to = [j for _, j in pairs[14 * s:14 * s + 14]]
    assert sorted(to) == list(range(1, 15)), to
PY
expect 2 list steiner spherical-6
says "^aslant: list steiner: .*prime power" err
expect 0 list
says "^sttsv-sequence "
! grep -q spherical-3 out || fail "list: too long"

expect 0 plan sttsv --n 300 --ranks 30 --top 100 --csv p.csv
for how in sttsv,.*,spherical-3, sttsv,.*,spherical-3/alltoall, \
	sttsv,.*,spherical-2, sttsv,.*,triples-6, sttsv,.*,boolean-3, \
	sttsv,.*,cubic- sttsv-naive, sttsv-sequence,; do
	says ",$how" p.csv
done
awk -F, 'NR > 2 && $15 < q { exit 1 } NR > 1 { q = $15 }' p.csv ||
	fail "plan: not by cost"
# What is first costs as much as it was said to.
expect 0 run sttsv --n 300 --ranks 30 --store null --csv r.csv \
	--steiner spherical-3
awk -F, '$9 == "spherical-3"' p.csv >row
for i in "16 q_full_max" "17 read_words_max" "19 bh_words_max" \
	"20 memory_high_words"; do
	[ "$(cut -d, -f"${i% *}" row)" = "$(field "${i#* }" r.csv)" ] ||
		fail "plan: ${i#* } is $(cut -d, -f"${i% *}" row)"
done
# The few that are shown are the first of all.
expect 0 plan sttsv --n 300 --ranks 30 --top 4 --csv few.csv
cmp few.csv <(head -5 p.csv) || fail "plan: other plans with --top"
expect 0 plan hopm --n 300 --ranks 30 --exchange p2p
says "hopm *spherical-3 "
! grep -q "alltoall\|naive" out || fail "plan: not only p2p"
expect 0 plan cpgrad --n 300 --ranks 30 --exchange alltoall
[ "$(grep -c "^ *[0-9]* cpgrad " out)" = "$(grep -c /alltoall out)" ] ||
	fail "plan: not only all to all: $(cat out)"
says "cpgrad .*/alltoall"
expect 0 plan sttsv --n 300 --ranks 30 --steiner triples
! grep -q "spherical\|naive\|cubic" out || fail "plan: not only triples"

expect 0 bounds sttsv --n 1000 --ranks 30 --csv -
says "^net_words,577,words,"
says "^io_words_reads,5572233.3"

# ---- Many cases ----

cat >suite.json <<'JSON'
{"options": {"store": "dram", "n": 30},
 "cases": [{"algorithm": ["sttsv", "hopm"], "ranks": [10, 14, 16],
	    "exchange": ["p2p", "alltoall"]},
	   {"algorithm": "hopm", "shift": -2.5, "tol": 0.25, "iterations": 7},
	   {"algorithm": "cpgrad", "cp-rank": 3, "steiner": "boolean-3"},
	   {"algorithm": "3d", "ranks": 4}]}
JSON
expect 0 suite suite.json --csv s.csv
[ "$(wc -l <s.csv)" = 16 ] || fail "suite: $(wc -l <s.csv) lines"
[ "$(cut -d, -f4 s.csv | sort | uniq -c | tr -s ' \n' ' ')" = \
	" 1 3d 1 algorithm 1 cpgrad 7 hopm 6 sttsv " ] ||
	fail "suite: other cases: $(cut -d, -f4 s.csv)"

[ ! -e failed ]
