#!/bin/bash
# suite_papers.sh -- bench/measure/papers prints the papers' numbers
#
# Fig. 2 and Table 1 of Al Daas et al. 2022 to the word; Steiner systems as their
# formula says; Q nowhere below the joint bound, but for fused.  With
# ASLANT_TEST_CASES=all the tables of limited memory, too.  ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
export ASLANT=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "suite_papers: $*"
	exit 1
}

# table NAME...: to out
table() {
	"$root/bench/measure/papers" "$@" >"$work/out" 2>"$work/err" ||
		fail "$* ends with $?: $(cat "$work/out" "$work/err")"
}

# row PATTERN: is in out
row() {
	grep -q "^ *$1\$" "$work/out" || fail "no row '$1': $(cat "$work/out")"
}

table grids constants
row "3  3x1x1  *960000  *960000  *1.000"
row "36  12x3x1  *760000  *760000  *1.000"
row "512  32x8x2  *210938  *210938  *1.000"
row "counted, on Fig. 2  *1  *2  *3"

# Words each way for x and y, n (q+1)/(q^2+1) - n/P, or 2n/(q+1) (1 - 1/P).
table sttsv
awk '$1 ~ /^[0-9]+$/ {
	rows++
	words = 2 * ($3 * ($1 + 1) / ($1 ^ 2 + 1) - $3 / $2)
	all = 4 * $3 / ($1 + 1) * (1 - 1 / $2)
	bound = 2 * ($3 * ($3 - 1) * ($3 - 2) / $2) ^ (1 / 3) - 2 * $3 / $2
	if ($4 - bound < 0 || $4 - bound >= 1 ||
	    ($5 - words / $4) ^ 2 > 1e-6 || ($6 - all / $4) ^ 2 > 1e-6 ||
	    ($1 > 2 && ($7 < $5 || $8 < $7))) { print; bad = 1 }
} END { exit bad || rows != 9 }' "$work/out" || fail "sttsv: $(cat "$work/out")"

table joint --keep "$work/kept"
awk '$1 == "w/beta" { for (i = 1; i <= NF; i++) name[i] = $i }
	$1 ~ /^[0-9.]+$/ { for (i = 2; i <= NF; i++) {
		ratios++
		if (name[i] == "fused" && $1 >= 4 ? $i >= 0.97 || $i < 0.6 : $i < \
		    (name[i] == "fused" ? 0.97 : 1)) { print; bad = 1 }
	} } END { exit bad || ratios != 80 }' "$work/out" ||
	fail "joint: $(cat "$work/out")"
row "16  *2.507  *2.245  *1.137  *0.685  *1.079"
"$ASLANT" report "$work/kept" --out "$work/report.html" &>"$work/said" ||
	fail "no report: $(cat "$work/said")"

if [ "${ASLANT_TEST_CASES-}" = all ]; then
	table memory scaling
	row "1448  *13778  *11520  *23519  3d 41x2x49"
	row "9000  *5526  *11520  *11520  3d 16x16x16"
	row "8192  *40.96  *57.48  *60.70  3d 26x15x21"
fi

# ---- Would it notice? ----

cat >"$work/liar" <<-END
	#!/bin/bash
	"$ASLANT" "\$@" | sed 's/,3016,/,3017,/g'
END
chmod +x "$work/liar"
"$root/bench/measure/papers" grids nonsense >"$work/out" 2>&1
[ $? = 2 ] || fail "nonsense: $(cat "$work/out")"
ASLANT=$work/liar "$root/bench/measure/papers" sttsv >"$work/out" 2>&1 &&
	fail "other words planned than counted: not noticed"
grep -q '^FAILED: not counted as planned' "$work/out" ||
	fail "no failure: $(cat "$work/out")"
