#!/bin/bash
# suite_contractions.sh -- the suite contractions is as near to the bound as it is
# said to be, and bench/measure/contract-words notices if it is not
#
# ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
: "${ASLANT:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "suite_contractions: $*"
	exit 1
}

# table ROWS: what bench/measure/contract-words makes of them
table() {
	awk -f "$root/bench/measure/contract-words.awk" "$1" >"$work/out"
}

"$root/bench/measure/contract-words" --keep "$work" >"$work/out" 2>"$work/log" ||
	fail "bench/measure/contract-words ends with $?: $(cat "$work/out" "$work/log")"
[ "$(grep -c '^ *[0-9]*0  .* 2   2.000 .*' "$work/out")" = 20 ] ||
	fail "not 20 rows: $(cat "$work/out")"
grep -q '^  1000       28647   1.012 ' "$work/out" ||
	fail "other words on 1000 ranks: $(cat "$work/out")"

grep -q '^  1000  3.1457e+07  1.0000  1.3883e+09  1.0000 ' "$work/out" ||
	fail "other words of all ranks on 1000: $(cat "$work/out")"

# All sizes of the product; the MTTKRP's take a minute.
"$ASLANT" suite contractions-weak --only 'weak MMM' --csv "$work/weak.csv" \
	>"$work/log" 2>&1 || fail "contractions-weak: $(cat "$work/log")"
table "$work/weak.csv" || fail "contractions-weak: $(cat "$work/out")"
[ "$(grep -c '^ *[0-9]*00 .* 1.0000 .* 1.0000 ' "$work/out")" = 20 ] ||
	fail "contractions-weak has not 20 rows: $(cat "$work/out")"
grep -q '^ 10000       2700000  1.0000         3e+09  1.0000 ' "$work/out" ||
	fail "other words of S = 10000: $(cat "$work/out")"

# ---- Would it notice? ----

# spoil WHAT COLUMN CASE RANKS VALUE: one field changed makes the table fail
spoil() {
	"${PYTHON:-/usr/bin/python3}" - "$work" "${@:2}" <<'END'
import csv, sys

work, column, dims, ranks, value = sys.argv[1:]
with open(work + "/rows.csv", newline="") as f:
    rows = list(csv.DictReader(f))
hit = [r for r in rows if r["dims"].startswith(dims) and ranks in (r["ranks"], "all")]
assert hit
for row in hit:
    row[column] = value
with open(work + "/spoilt.csv", "w", newline="") as f:
    out = csv.DictWriter(f, rows[0], lineterminator="\n")
    out.writeheader()
    out.writerows(rows)
END
	table "$work/spoilt.csv" && fail "$1: not noticed"
	grep -q "^FAILED: .*$1" "$work/out" ||
		fail "no failure says '$1': $(grep FAILED "$work/out")"
}

spoil "MMM 1024^3 on 350 ranks is not counted" \
	predicted_equal i=1024,j=1024,k=1024 350 0
spoil "1x2^24x1 on 50 ranks is below the bound" net_bound_ratio i=1, 50 0.99
spoil "MTTKRP 1024^4, median: 1.2000" \
	net_bound_ratio i=1024,j=1024,k=1024,l=1024 all 1.2
spoil "MTTKRP 1024^4, with 1000 ranks: 1.1100" \
	net_bound_ratio i=1024,j=1024,k=1024,l=1024 1000 1.11
spoil "MMM 1024^3, all words: 1.0333" \
	net_send_words_total i=1024,j=1024,k=1024 1000 29360128
sed 1q "$work/rows.csv" >"$work/empty.csv"
table "$work/empty.csv" && fail "no rows: not noticed"
exit 0
