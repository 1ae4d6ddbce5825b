#!/bin/bash
# command_contract.sh -- contractions on the command line, in memory and out of core
#
# Results against NumPy's, what the rows say, what is refused and how, and what
# plan, bounds and suite make of it.  ASLANT is the command.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

"$python" - <<'PYTHON'
import numpy as np

g = np.random.default_rng(2)
A, B, T, K, L = (g.uniform(-1, 1, shape) for shape in
                 ((17, 13), (13, 11), (17, 13, 11), (11, 5), (13, 5)))
np.savez("right.npz", product=A @ B,
         mttkrp=np.einsum("ijk,kl,jl->il", T, K, L),
         trace=np.einsum("ii->", A[:13, :13]))
Z = (A + 1j * A[::-1]).astype(np.complex64)
np.save("Z.npy", Z)
np.save("wide.npy", Z.astype(complex))
Z[3, 4] = complex(1, np.inf)
np.save("inf.npy", Z)
for name, a in dict(A=A, B=B, T=T, K=K, L=L, square=A[:13, :13]).items():
    np.save(name + ".npy", a)
PYTHON

# right NAME ARGUMENTS...: y.npy of a run is what NumPy finds; the row to r.csv
right() {
	local name=$1
	shift
	rm -f y.npy
	expect 0 run "$@" --result y.npy --csv r.csv
	"$python" - "$name" <<'PYTHON' || fail "$*: the result is wrong"
import sys
import numpy as np
found, right = np.load("y.npy"), np.load("right.npz")[sys.argv[1]]
assert found.shape == right.shape, found.shape
assert np.allclose(found, right, 1e-12, 1e-12), abs(found - right).max()
PYTHON
	is predicted_equal 1 r.csv
	is verified 1 r.csv
}

# ---- einsum ----

einsum=(einsum --spec "ij,jk->ik")
files=("${einsum[@]}" --operand A.npy --operand B.npy)
dram=(--store dram)
right product "${files[@]}" "${dram[@]}" --ranks 6 --way direct
is spec "ij,jk->ik" r.csv
is dims i=17,j=13,k=11 r.csv
is grid 3x2x1 r.csv
is m "" r.csv
is n "" r.csv
is k "" r.csv
is kernel vomm r.csv
is initial even r.csv
is blocks "" r.csv
is outside_apm 0 r.csv
is memory_budget_words "" r.csv
right product "${files[@]}" --dims k=11 --initial rank0 --ranks 6
is store pmem r.csv
is initial rank0 r.csv
right product "${files[@]}" --launch --ranks 4 --verify oracle
is transport ofi r.csv
right product "${files[@]}" "${dram[@]}" --ranks 6 --way product
[[ $(field blocks r.csv) = "product by "* ]] ||
	fail "no product: $(field blocks r.csv)"
# A space means nothing, and without an arrow the output is implied.
right product einsum --spec " ij, jk " "${files[@]:3}" "${dram[@]}"
is spec "ij,jk->ik" r.csv
is ranks 1 r.csv
right trace einsum --spec "ii->" --operand square.npy "${dram[@]}" --ranks 3
is dims i=13 r.csv

mttkrp=(einsum --spec "ijk,kl,jl->il" --operand T.npy --operand K.npy
	--operand L.npy "${dram[@]}" --ranks 12)
right mttkrp "${mttkrp[@]}" --way direct --kernel tight
is grid 6x2x1x1 r.csv
is blocks direct r.csv
is kernel tight r.csv
right mttkrp "${mttkrp[@]}" --path "0,2;0,1"
is blocks "ijk,jl->ikl kl,ikl->il" r.csv
right mttkrp "${mttkrp[@]}" --way sequence --panels nvm
is panels nvm r.csv
[[ $(field blocks r.csv) = *-\>*\ *-\>il ]] || fail "no pairs: $(field blocks r.csv)"
[[ $(field grid r.csv) = *x*x*/*x*x* ]] || fail "no sequence of two pairs: $(field grid r.csv)"
field bh_words_max r.csv >sequence
right mttkrp "${mttkrp[@]}"
[ "$(field bh_words_max r.csv)" -le "$(cat sequence)" ] ||
	fail "auto moves more words than a sequence"

sizes=(--dims "i=20,j=20,k=20")
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 "${dram[@]}" --way direct
says "^einsum with kernel vomm: ij,jk->ik, i = 20, j = 20, k = 20$"
says "^ranks     9, 1 idle, on a grid of 2x2x2 (i x j x k)$"
says "^          direct: 150 words, 1.034 times the bound$"
says "^verified  yes (test with random numbers)"
says "^Every counter of every rank is as predicted"
expect 0 run "${einsum[@]}" "${sizes[@]}" --store null --initial rank0
says "^operands and result on rank 0$"
expect 0 run einsum --spec "ij,jk,kl->il" --dims i=9,j=9,k=9,l=9 --ranks 4 \
	--store null --way sequence
says "^ranks     4 for 2 stages"
says "^          .*,.*->.* on a grid of .*x.*x.* (. x . x .)$"
says "^          sequence: .* words"
# All of its indices make 500^8 points, its pairs 500^3.
chain=(einsum --spec "ab,bc,cd,de,ef,fg,gh->ah" --ranks 4
	--dims "a=500,b=500,c=500,d=500,e=500,f=500,g=500,h=500")
expect 0 run "${chain[@]}" "${dram[@]}"
says "^ranks     4 for 6 stages"
says "^verified  yes (test with random numbers)"
expect 2 run "${chain[@]}" --way direct
says "more than 2^58 multiplications, all inputs at once" err
# Of many inputs a greedy path is taken: 25 products in a row, here and when it is given.
letters=(a b c d e f g h i j k l m n o p q r s t u v w x y z A)
spec=ab dims=a=20
for i in {1..25}; do spec+=",${letters[i]}${letters[i + 1]}"; done
for i in {1..26}; do dims+=",${letters[i]}=20"; done
long=(einsum --spec "$spec->aA" --dims "$dims" --ranks 9)
expect 0 run "${long[@]}" "${dram[@]}"
says "^ranks     9 for 25 stages"
says "^verified  yes (test with random numbers)"
says "^Every counter of every rank is as predicted"
expect 0 plan "${long[@]}" --top 1
says "^    az,zA->aA "
[ "$(grep -cE '^    [a-z]{2},[a-zA]{2}->a[a-zA] ' out)" = 25 ] ||
	fail "25 stages: $(cat out)"
path=24,25
for i in {24..1}; do path+=";$((i - 1)),$i"; done
expect 0 run "${long[@]}" --path "$path" "${dram[@]}"
says "yz,zA->yA on a grid of"
says "^Every counter of every rank is as predicted"
expect 2 run "${long[@]}" --path "${path/#24/26}" "${dram[@]}"
says "found .26,25;23., expected places from 0 to 25" err
expect 2 bounds "${long[@]}" --way direct
says "direct is for up to 7 inputs, and --spec has 26" err
expect 0 bounds "${long[@]}"
expect 0 run einsum --spec ",->" "${dram[@]}" --ranks 3
says "^          product by vomm, m = 1, n = 1, k = 1$"
expect 0 run einsum --spec ",->" "${dram[@]}" --ranks 3 --way direct
says "on a grid of 1$"
# A vector is the column, whichever operand it is.
for spec in "abcd,cd->ab" "cd,abcd->ab"; do
	expect 0 run einsum --spec "$spec" --dims a=3,b=4,c=5,d=6 "${dram[@]}" --way product
	says "^ .*product by .*, m = 12, n = 1, k = 30$"
	says "^verified  yes"
done

# Where only words that move cost something, one rank alone is not the answer; primes
# have cuts.
for ranks in 7 11 13; do
	expect 0 run einsum --spec ij,jk --dims i=1024,j=1024,k=1024 \
		--ranks $ranks --store null --cache 1MiB --read-cost 0 \
		--write-cost 0 --csv r.csv
	"$python" -c 'import sys; sys.exit(not 1 <= float(sys.argv[1]) <= 1.15)' \
		"$(field net_bound_ratio r.csv)" ||
		fail "$ranks ranks: $(cat r.csv)"
done

# Costs decide: a product costs no more than the best of its algorithms, and meshes
# do not idle a rank for a few words if flops cost anything.
costly=(--ranks 64 --store null --write-cost 64 --cache 1MiB)
expect 0 run fused --n 4096 "${costly[@]}" --csv fused.csv
expect 0 run einsum --spec kj,ik-\>ij --dims i=4096,j=4096,k=4096 \
	"${costly[@]}" --csv r.csv
is q_apm_max "$(field q_apm_max fused.csv)" r.csv
is outside_apm 1 r.csv
idle=(run einsum --spec "ij,jk->ik" --dims i=60,j=60,k=60 --ranks 9
	--way direct --store null --csv r.csv)
expect 0 "${idle[@]}"
is grid 2x2x2 r.csv
expect 0 "${idle[@]}" --flop-cost 10
is grid 1x3x3 r.csv

# Complex numbers of two floats are words as well: as many of them are moved.
words() {
	"$python" - "$1" <<'PYTHON'
import csv, sys
row = next(csv.DictReader(open(sys.argv[1])))
print([row[x] for x in row if "_words" in x or "bound" in x or x.startswith("flops")])
PYTHON
}
for how in "--way direct" "--way product" "--initial rank0 --panels nvm"; do
	# shellcheck disable=SC2086
	for type in float64 float32 complex64 complex128; do
		expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 $how "${dram[@]}" \
			--type $type --csv $type.csv
		is verified 1 $type.csv
		is predicted_equal 1 $type.csv
	done
	[ "$(words float64.csv)" = "$(words complex64.csv)" ] ||
		fail "$how: $(words float64.csv) and $(words complex64.csv)"
	is word_bytes 4 float32.csv
	is word_bytes 16 complex128.csv
done
# With as many words of S and M, and the same costs of a word, plans are the same.
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 "${dram[@]}" --cache 1000 --memory 20000 \
	--csv float64.csv
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 "${dram[@]}" --cache 500 --memory 10000 \
	--type float32 --csv float32.csv
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 "${dram[@]}" --cache 2000 --memory 40000 \
	--type complex128 --csv complex128.csv
"$python" -c 'import csv
a, b, c = (next(csv.DictReader(open(f"{x}.csv"))) for x in ("float64", "float32", "complex128"))
for words in a:
    assert "_words" not in words or a[words] == b[words] == c[words], words
for cost in "r", "w", "beta", "q_apm_path", "q_joint_bound":
    assert float(a[cost]) == 2 * float(b[cost]) == float(c[cost]) / 2 > 0, cost' ||
	fail "plans of other types differ, or their words cost as much"
is type "" float64.csv
is type complex64 complex64.csv
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 4 --launch --type complex64
says "^einsum .*: ij,jk->ik, i = 20, j = 20, k = 20, complex64$"
says "^verified  yes (test with random numbers)"
# The test is the value of a polynomial of degree 26, found from 27 others.
expect 0 run "${long[@]}" "${dram[@]}" --type complex64
says "^verified  yes (test with random numbers)"
# An operation of complex numbers takes as long as two, and costs as much.
expect 0 run "${einsum[@]}" "${sizes[@]}" --store null --profile x86-64-avx2 --csv a.csv
expect 0 run "${einsum[@]}" "${sizes[@]}" --store null --profile x86-64-avx2 --csv b.csv \
	--type complex64
"$python" -c 'import csv
a, b = (next(csv.DictReader(open(x))) for x in ("a.csv", "b.csv"))
assert float(b["gamma"]) == 2 * float(a["gamma"]) > 0, (a["gamma"], b["gamma"])
more = [float(x["predicted_arithmetic_s"]) for x in (a, b)]
assert more[0] < more[1] <= 2 * more[0], more' || fail "not twice the price"
expect 0 run "${einsum[@]}" "${sizes[@]}" "${dram[@]}" --type complex128 \
	--cache-model lru:64KiB:8:8 --csv b.csv
expect 0 run "${einsum[@]}" "${sizes[@]}" "${dram[@]}" --cache-model lru:32KiB:4:8 --csv a.csv
[ "$("$python" -c 'import csv
print(*[next(csv.DictReader(open(x)))["lru_read_words_total"] for x in ("a.csv", "b.csv")],
      sep="=")')" = "$("$python" -c 'import csv
print(*[next(csv.DictReader(open("a.csv")))["lru_read_words_total"]] * 2, sep="=")')" ] ||
	fail "a cache of as many words reads others"
refuse "--cache-model: found lines of 1 words of 8 bytes, expected whole numbers of complex128" \
	run "${einsum[@]}" "${sizes[@]}" --type complex128 --cache-model lru:64:1:8

complex=("${dram[@]}" --type complex64)
expect 0 run einsum --spec "ij->ji" --operand Z.npy "${complex[@]}" --result y.npy
"$python" -c 'import numpy as np
y, Z = np.load("y.npy"), np.load("Z.npy")
assert y.dtype == np.complex64 and (y == Z.T).all()' || fail "not transposed"
# The first file says it.
expect 0 run einsum --spec "ij->ji" --operand Z.npy "${dram[@]}" --csv a.csv
is type complex64 a.csv
expect 0 run einsum --spec "ij->ji" --operand wide.npy "${dram[@]}" --csv a.csv
is type complex128 a.csv
refuse "A.npy: entries are '<f8', expected '<c8' (complex64)" \
	run einsum --spec "ij,ik->jk" --operand Z.npy --operand A.npy "${dram[@]}"
refuse "Z.npy: entries are '<c8', expected '<f8' (float64)" \
	run einsum --spec "ij->ji" --operand Z.npy "${dram[@]}" --type float64
refuse "A.npy: entries are '<f8', expected '<c8' (complex64)" \
	run einsum --spec "ij->ji" --operand A.npy "${complex[@]}"
refuse "wide.npy: entries are '<c16', expected '<c8' (complex64)" \
	run einsum --spec "ij->ji" --operand wide.npy "${complex[@]}"
refuse "inf.npy: entry 43 of 221 (from 0, as they lie in the file) is 1+infj" \
	run einsum --spec "ij->ji" --operand inf.npy "${complex[@]}"
refuse "--type: found 'float16', expected float64, complex64, float32, complex128" \
	run "${einsum[@]}" "${sizes[@]}" --type float16
refuse "sums are exact in float64, and found --type complex64" \
	run "${einsum[@]}" "${sizes[@]}" "${complex[@]}" --entries exact
refuse "--type is not for 3d, only for contraction" run 3d --n 20 --type complex64
refuse "--type is not for ooc-auto, only for contraction" run ooc-auto --n 20 \
	--memory-budget 200 --type complex64

# A budget that is just enough.
need=$("$aslant" run "${einsum[@]}" "${sizes[@]}" --ranks 9 --memory-budget 9 \
	2>&1 | sed 's/.*least need is \([0-9]*\) words/\1/')
expect 0 run "${einsum[@]}" "${sizes[@]}" --ranks 9 --store null \
	--memory-budget "$need"
refuse "the least need is $need" run "${einsum[@]}" "${sizes[@]}" --ranks 9 \
	--memory-budget $((need - 1))

# ---- Out of core ----

for method in rotation replication accumulation; do
	for side in inside outside; do
		right product ooc-$method-$side --a A.npy --b B.npy --ranks 4 \
			--memory-budget 200 --cache 40 "${dram[@]}"
		is m 17 r.csv
		is k 13 r.csv
		is n 11 r.csv
		is spec "" r.csv
		is initial "" r.csv
		is memory_budget_words 200 r.csv
		[[ $(field blocks r.csv) = tiles=*x*x* ]] ||
			fail "no tiles: $(field blocks r.csv)"
	done
done
right product ooc-auto --operand A.npy --operand B.npy --ranks 9 \
	--memory-budget 200 --cache 40 --kernel tight --order BCA
[[ $(field grid r.csv) = */BCA ]] || fail "another order: $(field grid r.csv)"
is kernel tight r.csv
is store pmem r.csv
right product ooc-auto --a A.npy --b B.npy --ranks 4 --launch \
	--memory-budget 200 --cache 40
is transport ofi r.csv

# Tensors: rows, columns and sums are groups of indices; a product for each value of
# those that all three have.
right product ooc-auto --spec "ij,jk->ik" --operand A.npy --operand B.npy \
	--ranks 9 --memory-budget 200 --cache 40 --launch
is spec "ij,jk->ik" r.csv
is dims i=17,j=13,k=11 r.csv
is m "" r.csv
is initial "" r.csv
tensors=(--spec "xai,ibx->bxa" --dims x=5,a=12,b=30,i=20 --ranks 4
	--memory-budget 300 --cache 40)
expect 0 run ooc-replication-inside "${tensors[@]}" "${dram[@]}" --verify oracle
says "^ooc-replication-inside with kernel vomm: xai,ibx->bxa, x = 5, a = 12, i = 20"
says "^matrices  m = 30, n = 12, k = 20, 5 of them, one after another$"
says "^verified  yes (oracle)"
expect 0 plan ooc-auto "${tensors[@]}" --csv p.csv
[ "$(grep -c '"xai,ibx->bxa"' p.csv)" = 10 ] || fail "plan: no spec: $(cat p.csv)"
# The products are alike: five times the words of one.
expect 0 run ooc-rotation-inside "${tensors[@]}" --store null --csv five.csv
expect 0 run ooc-rotation-inside --m 30 --n 12 --k 20 "${tensors[@]:4}" \
	--store null --csv one.csv
for counter in nvm_lift_words_max nvm_land_words_max net_recv_words_max; do
	[ "$(field $counter five.csv)" = $((5 * $(field $counter one.csv))) ] ||
		fail "$counter: $(field $counter five.csv)"
done

expect 0 run ooc-rotation-inside --n 60 --ranks 5 --memory-budget 900 --cache 99 \
	--store null
says "^ooc-rotation-inside with kernel vomm: C = A B, m = 60, n = 60, k = 60$"
says "^ranks     5 on a grid of 2x2x1 (m x n x k), 1 idle$"
says "^tiles     [0-9]*x[0-9]*x[0-9]* of a rank's m x n x k, order [ABC]*"
says "^          [0-9]* of 900 words of DRAM, beside the cache$"
says "^Q full .*"
expect 0 run ooc-auto --n 60 --ranks 5 --memory-budget 900 --cache 99 --store null
says "^auto chose ooc-"

# Without --cache, a quarter of the budget, and no more than there is.
expect 0 run ooc-auto --n 60 --ranks 5 --memory-budget 900 --store null --csv r.csv
is cache_words 225 r.csv
expect 0 run ooc-auto --n 60 --memory-budget 8GiB --store null --csv r.csv
[ "$(field cache_words r.csv)" -lt 268435456 ] || fail "more cache than there is"

# Extents beyond all tiles, a budget that is too small: no search is long.
long=(ooc-auto --ranks 9 --cache 4096 --top 1)
for dims in "2g 8 8" "8 2g 8" "8 8 2g"; do
	read -r m n k <<<"$dims"
	expect 0 plan "${long[@]}" --m "$m" --n "$n" --k "$k" \
		--memory-budget 6000
	refuse "the least need is [0-9]* words$" plan "${long[@]}" \
		--m "$m" --n "$n" --k "$k" --memory-budget 4000
done

# The longest of m, n and k is cut by ranks, and into the most tiles.
narrow=(--ranks 4 --memory-budget 600 --cache 40 --store null)
expect 0 run ooc-replication-inside --m 900 --n 9 --k 8 "${narrow[@]}"
says "on a grid of 4x1x1 (m x n x k), B is replicated$"
says "^tiles     5x3x1 "
says "^Q full  *20925 "
expect 0 run ooc-replication-inside --m 9 --n 900 --k 8 "${narrow[@]}"
says "on a grid of 1x4x1 (m x n x k), A is replicated$"
says "^tiles     3x5x1 "
says "^Q full  *20925 "
expect 0 run ooc-accumulation-outside --m 9 --n 8 --k 900 "${narrow[@]}"
says "on a grid of 1x1x4 (m x n x k)$"
says "^tiles     1x1x[0-9]* "

# ---- What it costs, and what nobody betters ----

# first NUMBER NAME COLUMN: of the cheapest plan in p.csv what r.csv says
first() {
	[ "$(awk -F, 'NR == 2' p.csv | cut -d, -f"$1")" = "$(field "$2" r.csv)" ] ||
		fail "plan: $2 is $(awk -F, 'NR == 2' p.csv | cut -d, -f"$1")"
}

# by_cost COLUMN
by_cost() {
	awk -F, -v at="$1" 'NR > 2 && $at < q { exit 1 } NR > 1 { q = $at }' \
		p.csv || fail "plan: not by cost: $(cut -d, -f"$1" p.csv)"
}

three=(einsum --spec "ijk,kl,jl->il" --dims i=16,j=16,k=16,l=4 --ranks 8)
expect 0 plan "${three[@]}" --csv p.csv
[ "$(wc -l <p.csv)" = 7 ] || fail "plan: not three kernels in two ways"
[ "$(grep -c ",[0-9x]*/[0-9x]*,.*->.* .*->il\"," p.csv)" = 3 ] ||
	fail "plan: not three sequences: $(cat p.csv)"
[ "$(grep -c ",direct,\"ijk" p.csv)" = 3 ] || fail "plan: not three direct"
by_cost 15
for way in direct sequence; do
	expect 0 plan "${three[@]}" --kernel cowe --way $way --csv p.csv
	[ "$(wc -l <p.csv)" = 2 ] || fail "plan: not one $way"
	expect 0 run "${three[@]}" --kernel cowe --way $way --store null \
		--cache "$(awk -F, 'NR == 2 { print $10 }' p.csv)" --csv r.csv
	first 9 grid
	first 15 q_apm_max
	first 17 read_words_max
	first 19 bh_words_max
	first 20 memory_high_words
done
expect 0 plan "${three[@]}"
says "^The 6 plans of least Q (apm): ijk,kl,jl->il, i = 16,"
says "^  1 einsum "

costs=(--read-cost 3 --write-cost 5 --cache 99 --memory-budget 900)
auto=(ooc-auto --n 60 --ranks 9 "${costs[@]}")
expect 0 plan "${auto[@]}" --top 100 --csv p.csv
[ "$(wc -l <p.csv)" = 37 ] || fail "plan: not six methods in six orders"
by_cost 16
for method in rotation replication accumulation; do
	says "^[0-9]*,ooc-$method-inside,.*/CBA," p.csv
	says "^[0-9]*,ooc-$method-outside,.*/ABC," p.csv
done
expect 0 run "${auto[@]}" --store null --csv r.csv
first 2 algorithm
first 9 grid
first 16 q_full_max
first 20 memory_high_words
expect 0 plan "${auto[@]}" --order CAB --top 100 --csv p.csv
[ "$(grep -c /CAB p.csv)" = 6 ] || fail "plan: not six with CAB: $(cat p.csv)"
[ "$(wc -l <p.csv)" = 7 ] || fail "plan: another order than CAB"
expect 0 plan ooc-rotation-outside "${auto[@]:1}"
says "^The 6 plans of least Q (full)"
! grep -q "inside\|replication" out || fail "plan: another method"

expect 0 bounds "${einsum[@]}" --dims i=1024,j=1024,k=1024 --ranks 64 --csv -
says "^net_words,147456,words,"
says "^io_words,196608,words,"
says "^joint_cost,344064[.,]"
# The same problem has the same bounds, whatever it is called.
expect 0 bounds --n 1024 --ranks 64 --csv -
says "^net_words,147456,words,"
says "^io_words,196608,words,"
says "^joint_cost,344064[.,]"
# A file that is given twice is read once, and the triangle's mirror image is written.
gram=(run einsum --spec "ki,kj->ij" --operand A.npy --operand ./A.npy)
for ranks in 1 3 12; do
	expect 0 "${gram[@]}" --way gram --ranks "$ranks" --store dram --cache 60 \
		--result g.npy --verify oracle
	says "blocks x .* one array, given twice"
	says "as predicted"
	"$python" -c 'import numpy as np
A, C = np.load("A.npy"), np.load("g.npy")
assert np.allclose(C, A.T @ A) and C.shape == (A.shape[1],) * 2, C' ||
		fail "gram: another result on $ranks ranks"
done
expect 0 "${gram[@]}" --way gram --ranks 4 --launch --result g.npy
"$python" -c 'import numpy as np
A, C = np.load("A.npy"), np.load("g.npy")
assert np.allclose(C, A.T @ A), C' || fail "gram: another result of 4 processes"

expect 0 bounds "${three[@]}"
says "least over all groupings and real boxes"
expect 0 bounds ooc-auto --n 96 --ranks 8 --csv -
says "^net_words,3456,words,"
says "^pool_words,3456,words,"

expect 0 list
says "^einsum "
says "^ooc-auto "
says "^ooc-accumulation-outside "

# ---- Many cases ----

cat >suite.json <<'JSON'
{"options": {"store": "dram", "cache": 60},
 "cases": [{"algorithm": "einsum", "spec": "ij,jk", "ranks": [1, 4],
	    "way": ["direct", "sequence"], "operand": ["A.npy", "B.npy"]},
	   {"algorithm": "einsum", "spec": "ij,ij->j",
	    "operand": [["A.npy", "A.npy"], ["K.npy", "K.npy"]]},
	   {"algorithm": "einsum", "spec": "ij->j", "operand": "A.npy"},
	   {"algorithm": ["ooc-auto", "ooc-rotation-inside"], "ranks": 4,
	    "memory-budget": 500, "order": "CBA",
	    "operand": ["A.npy", "B.npy"]},
	   {"algorithm": "sttsv", "n": 10},
	   {"algorithm": "3d", "n": 10}]}
JSON
expect 0 suite suite.json --csv s.csv
[ "$("$python" -c 'import csv
for r in csv.DictReader(open("s.csv")):
	print(r["spec"], r["dims"], r["m"] + r["n"] + r["k"], r["verified"])')" = \
	"ij,jk->ik i=17,j=13,k=11  1
ij,jk->ik i=17,j=13,k=11  1
ij,jk->ik i=17,j=13,k=11  1
ij,jk->ik i=17,j=13,k=11  1
ij,ij->j i=17,j=13  1
ij,ij->j i=11,j=5  1
ij->j i=17,j=13  1
  171113 1
  171113 1
  10 1
  101010 1" ] || fail "suite: other cases: $(cat s.csv)"
expect 0 suite suite.json --dry-run
says "einsum .* 17x13x11 .* 4 "

[ ! -e failed ]
