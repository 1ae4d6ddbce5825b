#!/bin/bash
# suite_fig5.sh -- the suite fig5, simulated, stands up to the paper's formulas
#
# bench/measure/fig5 --simulated passes its checks; it does fail where something is
# wrong; and the budgets of `fused` in the suite are what JOMMA holds.  ASLANT is
# the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
aslant=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "suite_fig5: $*"
	exit 1
}

"$root/bench/measure/fig5" --simulated --keep "$work/kept" >"$work/out" ||
	fail "bench/measure/fig5 --simulated ends with $?: $(grep FAILED "$work/out")"
# Nobody's order turns unnoticed: these nine, each explained, are known.
grep -q "; 9 of 144 pairs of methods in another order" "$work/out" ||
	fail "other pairs are in another order: $(tail -2 "$work/out")"
grep -q "^29 of 96 bars off .*: 4 of 25d-mml3ool2, 0 of jomma, 4 of summa-l3ool2, 21 of 25d-cowe$" \
	"$work/out" || fail "other bars are off: $(tail -3 "$work/out")"
# Each says why, and the busiest rank's Q is never more than the path's.
[ "$(grep -c "divide blocks\|empty$\|fit into the cache$\|no integer: 8x4x2 \|read back$" \
	"$work/out")" = 29 ] || fail "29 bars do not have 29 reasons"
awk '$3 ~ /^[0-9]*x[0-9]*x/ && $7 > $8 { exit 1 }' "$work/out" ||
	fail "the busiest rank's Q is more than the path's"
# COWE's curve, and the sentences that the paper's tables do not give.
while read -r line; do
	tr -s ' ' <"$work/out" | grep -q "^ *$line" || fail "no line '$line'"
done <<'LINES'
4 8.248 1.19 8.807 1.068 9.792 63%
16 13.093 1.73 16.467 1.258 17.312 14%
32 16.497 2.15 22.968 1.392 24.260 6%
2.5DL3ooL2 costs 1.3 times jomma (b) 1.09 to 1.14, (e) 1.35 to 1.47$
SUMMAL3ooL2 costs 3 times jomma (c) 2.18 to 3.10, (f) 1.74 to 2.10$
2.5D-COWE costs 2.1 times jomma (c) 1.88 to 2.50, (f) 1.76 to 2.10$
2.5DL3ooL2 costs 1.3 times jomma (c) 1.34 to 1.51, (f) 1.76 to 1.92$
2.5D has the lowest horizontal cost (b) 640: jomma's is 203187, 2.5D's 204800$
VOMM's vertical cost is below COWE's (f) 768: VOMM's is 1827870, COWE's 1824409$
M >= 3 n^2 / P (d) 1280: 3 n^2 / P is 76800, M 65536$
M >= 3 n^2 / P (e) 1536: 3 n^2 / P is 110592, M 65536$
LINES
! grep -q ' nan\| inf' "$work/out" || fail "the table has nan or inf"

# ---- Would it notice? ----

# spoil WHAT PATTERN AWK: rows changed so that the checks must fail
spoil() {
	awk -F, -v OFS=, 'NR == 1 {
			for (i = 1; i <= NF; i++) at[$i] = i
			print; next
		}
		{ '"$3"' } 1' "$work/kept/sim.csv" >"$work/spoilt.csv"
	awk -f "$root/bench/measure/fig5.awk" "$root/bench/suites/fig5-golden.csv" \
		"$work/kept/sim.csv" "$work/spoilt.csv" >"$work/spoilt" &&
		fail "$1: not noticed"
	grep -q "FAILED: .*$2" "$work/spoilt" ||
		fail "$1: no failure says '$2': $(grep FAILED "$work/spoilt" | head -3)"
}

good='$at["verified"] = 1'
spoil "a product not verified" "is not verified" \
	"$good; if (NR == 9) \$at[\"verified\"] = 0"
spoil "a product unverified" "is not verified" \
	"$good; if (NR == 9) \$at[\"verified\"] = \"\""
spoil "a wrong count" "not counted as predicted" \
	"$good; if (NR == 50) \$at[\"predicted_equal\"] = 0"
spoil "another count" "counts otherwise" \
	"$good; if (NR == 50) \$at[\"bounce_read_words_max\"]++"
spoil "a row missing" "rows, .* simulated" "$good; if (NR == 3) next"
spoil "a dear jomma" "above the figure" \
	"$good; if (NR == 2) \$at[\"q_apm_path\"] = 800000"
spoil "another order" "is not less than" \
	"$good; if (NR == 5) \$at[\"q_apm_path\"] = 1000"
spoil "a tie gone" "is not about the same" \
	"$good; if (NR == 3) \$at[\"q_apm_path\"] *= 1.1"
spoil "a dear fused" "fused: .* of jomma's, expected 0.68" \
	"$good; if (\$at[\"algorithm\"] == \"fused\") \$at[\"q_apm_path\"] *= 1.2"
spoil "a fused that holds more" "fused: held" "$good
	if (\$at[\"algorithm\"] == \"fused\") \$at[\"memory_high_words\"] *= 2.5"

# ---- Budgets ----

"$aslant" suite fig5 --dry-run >"$work/cases" || fail "--dry-run ends with $?"
python3 - "$root/bench/suites/fig5.json" "$work/cases" <<'PY' || fail budgets
import json, sys

held = {}
for line in open(sys.argv[2]).read().splitlines()[1:]:
    _, algorithm, _, n, _, _, _, memory, _, label = line.split()
    held[algorithm, label, int(n)] = int(memory)
for case in json.load(open(sys.argv[1]))["cases"]:
    if case["algorithm"] != "fused":
        continue
    label, n, budget = case["label"], case["n"], case["memory-budget"]
    if budget != held["jomma", label, n]:
        sys.exit(f"{label}, n = {n}: memory-budget is {budget}, jomma holds "
                 f"{held['jomma', label, n]}")
PY
