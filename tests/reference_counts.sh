#!/bin/bash
# reference_counts.sh -- what is counted today is what results/reference/ says
#
# Real pools and a real network counted those; here the same suites are simulated,
# without data.  Every word, message and flop, counted and predicted, of every case
# is the same, but of what ends when data say so.  ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "reference_counts: $*"
	exit 1
}

suites=(quick sttsv contractions-timed procurement fig5)
for suite in "${suites[@]}"; do
	"${ASLANT:?}" suite "$suite" --transport sim --store null --reps 1 \
		--warmup 0 --out "$work/$suite" >"$work/out" 2>&1 ||
		fail "$suite: exit code $?: $(tail -n 3 "$work/out")"
done

python3 - "$root/results/reference" "$work" "${suites[@]}" <<'PY' || fail "see above"
import csv, sys

reference, today = sys.argv[1:3]
asked = ("algorithm", "kernel", "m", "n", "k", "spec", "dims", "ranks", "grid",
         "cache_words", "memory_words", "memory_budget_words", "panels", "initial",
         "r", "w", "beta", "overlap")
counted = ("_words_max", "_words_total", "msgs_max", "msgs_total", "flops_max",
           "flops_total", "q_apm_max", "q_full_max", "bound_words")


def cases(path):
    found = {}
    for row in csv.DictReader(open(path)):
        key = tuple(row[name] for name in asked)
        found.setdefault(key, []).append(
            {name: row[name] for name in row if name.endswith(counted)})
    return found

for suite in sys.argv[3:]:
    then = cases(f"{reference}/{suite}/runs.csv")
    now = cases(f"{today}/{suite}/runs.csv")
    if then.keys() != now.keys():
        sys.exit(f"{suite}: other cases: {then.keys() ^ now.keys()}")
    for key, rows in then.items():
        for row in rows:
            other = {x: (row[x], now[key][0][x]) for x in row
                     if row[x] != now[key][0][x]}
            if other:
                sys.exit(f"{suite}: {key}: then and now: {other}")
    print(f"ok: {suite}: {len(then)} cases")
PY
